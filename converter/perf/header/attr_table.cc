// SPDX-License-Identifier: Apache-2.0
#include "converter/perf/header/attr_table.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "converter/base/byte_reader.h"
#include "converter/perf/header/event_kind.h"
#include "converter/perf/header/event_name.h"
#include "converter/perf/header/event_records.h"
#include "converter/perf/header/shared_event_names.h"
#include "converter/perf/header/simpleperf_event_types.h"
#include "converter/perf/records/decode.h"
#include "converter/perf/records/simpleperf_records.h"
#include "converter/perf/records/skip_record.h"
#include "converter/perf/records/user_records.h"
#include "converter/perf/records/wire.h"

namespace perf2x {

void AttrTable::Learn(const RawRecord& record) {
  if (names_.has_new_event_types() && record.type != kRecordHeaderEventType) {
    SetPmuAndName(names_.TakeNewlyNamed());
  }
  switch (record.type) {
    case kRecordHeaderAttr:
      return AddAttr(record);
    case kRecordHeaderEventType:
      return names_.AddEventType(record, diagnostics_);
    case kRecordHeaderFeature:
      return AddFeature(record);
    case kRecordEventUpdate:
      return Update(record);
    case kRecordSimpleperfEventId:
      return AddEventIds(record);
    default:
      return;
  }
}

void AttrTable::AddAttr(const RawRecord& record) {
  if (events_.size() != recorded_events_) {
    diagnostics_->Add(Diagnostics::Severity::kSkipped,
                      "event described after samples of a hardware trace",
                      record.offset, record.body.size());
    return;
  }
  if (recorded_events_ == kMaxEvents) {
    diagnostics_->Add(Diagnostics::Severity::kSkipped,
                      "event beyond the 32768 that are told apart",
                      record.offset, record.body.size());
    return;
  }
  WordSpan ids;
  std::optional<RecordedEvent> event = ReadEvent(record, &ids, diagnostics_);
  if (!event.has_value()) return;
  const auto index = static_cast<uint32_t>(events_.size());
  names_.AddEvent(index, event->attr);
  ids_.AddEvent();
  events_.push_back(*std::move(event));
  ++recorded_events_;
  is_changed_.push_back(false);
  AddIds(index, ids);
  SetPmuAndName({index});
  // Applied once, not after each attr: there may be thousands of attrs and
  // descriptions.
  if (events_.size() == descriptions_.size()) ApplyDescriptions();
  UpdateOffsets();
}

uint32_t AttrTable::AddTraceEvent(const EventAttr& attr,
                                  absl::string_view name) {
  const auto index = static_cast<uint32_t>(events_.size());
  RecordedEvent& event = events_.emplace_back();
  event.attr = attr;
  event.name = std::string(name);
  event.has_recorded_name = true;
  is_changed_.push_back(false);
  Changed(index);
  return index;
}

// Updates what depends on both the event's name and its attr, and marks the
// event as changed.
void AttrTable::Changed(uint32_t index) {
  RecordedEvent& event = events_[index];
  event.kind = EventKindOf(event.attr, event.name, traces_off_cpu_);
  if (!is_changed_[index]) changed_.push_back(index);
  is_changed_[index] = true;
  ++version_;
}

std::vector<uint32_t> AttrTable::TakeChangedEvents() {
  for (const uint32_t event : changed_) is_changed_[event] = false;
  return std::exchange(changed_, {});
}

template <class Ids>
void AttrTable::AddIds(uint32_t event, const Ids& ids) {
  for (size_t i = 0; i < ids.size(); ++i) {
    switch (ids_.Add(ids[i], event)) {
      case EventIds::Added::kNew:
        events_[event].ids.push_back(ids[i]);
        break;
      case EventIds::Added::kKnown:
        break;
      case EventIds::Added::kTooMany:
        diagnostics_->Add(
            Diagnostics::Severity::kSkipped,
            "id of an event beyond the 524288 that are told apart");
        break;
    }
  }
  ++version_;
}

void AttrTable::AddFeature(const RawRecord& record) {
  ByteReader in(record.body, record.order);
  const uint64_t feature = in.U64();
  if (feature == kFeatureEventDesc) {
    descriptions_ = ReadEventDesc(record, diagnostics_);
    ApplyDescriptions();
  } else if (feature == kFeaturePmuMappings) {
    SetPmuAndName(names_.AddPmuMappings(record, diagnostics_));
    TellApartByPmu();
  } else if (feature == kFeatureSimpleperfMetaInfo) {
    ApplySimpleperfNames(record);
  }
}

// Names events as simpleperf's META_INFO says. The first one counts.
void AttrTable::ApplySimpleperfNames(const RawRecord& record) {
  if (std::exchange(has_simpleperf_names_, true)) return;
  traces_off_cpu_ = SimpleperfTracesOffCpu(record);
  for (const SimpleperfEventType& type :
       ReadSimpleperfEventTypes(record, diagnostics_)) {
    for (uint32_t i = 0; i < events_.size(); ++i) {
      RecordedEvent& event = events_[i];
      if (event.has_recorded_name || !type.Describes(event.attr)) continue;
      event.name = absl::StrCat(type.name, SimpleperfModifierOf(event.attr));
      event.has_recorded_name = true;
      Changed(i);
    }
  }
}

// Gives events the names and ids that EVENT_DESC has for them.
void AttrTable::ApplyDescriptions() {
  for (size_t i = 0; i < descriptions_.size(); ++i) {
    const EventDescription& description = descriptions_[i];
    // EVENT_DESC repeats the events of the attrs, with names. They are matched
    // by id, else by position.
    uint32_t event =
        description.ids.empty() ? kNoEvent : EventOfId(description.ids[0]);
    if (event == kNoEvent && i < recorded_events_) {
      event = static_cast<uint32_t>(i);
    }
    if (event == kNoEvent) continue;
    AddIds(event, description.ids);
    if (!description.name.empty()) {
      events_[event].name = description.name;
      events_[event].has_recorded_name = true;
      Changed(event);
    }
  }
  TellApartByPmu();
}

// perf 7 writes the same name for an event on both kinds of cores of a hybrid
// machine, since perf tells the two apart by itself:
// evsel__set_needs_uniquify(). Adds the PMU to names that events of several
// PMUs share.
void AttrTable::TellApartByPmu() {
  // A recording has one or two features that name events and PMUs. Damaged ones
  // may have many, which would cost too much.
  constexpr int kMaxTimes = 16;
  if (++tell_apart_calls_ > kMaxTimes) return;
  for (const uint32_t i : EventsOfSharedNames(events_)) {
    RecordedEvent& event = events_[i];
    event.name = EventNameWithPmu(event.pmu, event.name);
    Changed(i);
  }
}

void AttrTable::Update(const RawRecord& record) {
  EventUpdateRecord update;
  if (!Decode(record.body, record.order, record.misc, no_attr_, &update)) {
    return CountSkippedRecord(record, kShorterThanItsFields, diagnostics_);
  }
  const uint32_t index = EventOfId(update.id);
  if (index == kNoEvent) return;
  if (ApplyEventUpdate(update, record.offset, &events_[index], diagnostics_)) {
    Changed(index);
  }
}

// Reads the ids of events that simpleperf opened while it recorded.
void AttrTable::AddEventIds(const RawRecord& record) {
  SimpleperfEventIdRecord ids;
  if (!Decode(record.body, record.order, record.misc, no_attr_, &ids)) {
    return CountSkippedRecord(record, kShorterThanItsFields, diagnostics_);
  }
  for (size_t i = 0; i + 2 <= ids.entries.size(); i += 2) {
    if (ids.entries[i] >= recorded_events_) continue;
    AddIds(static_cast<uint32_t>(ids.entries[i]),
           std::vector<uint64_t>{ids.entries[i + 1]});
  }
}

// Sets the PMU name of each event, and the event's name unless its writer did.
void AttrTable::SetPmuAndName(const std::vector<uint32_t>& events) {
  for (const uint32_t index : events) {
    RecordedEvent& event = events_[index];
    event.pmu = names_.PmuNameOf(event.attr);
    if (!event.has_recorded_name) event.name = names_.NameOf(event.attr);
    Changed(index);
  }
}

void AttrTable::UpdateOffsets() {
  const RecordedEvent& first = events_.front();
  const RecordedEvent& last = events_.back();
  sample_id_offset_ = first.layout.id;
  trailer_id_offset_ = first.trailer.id_from_end;
  const auto places = [](const RecordedEvent& e) {
    return std::tuple(e.layout.time, e.trailer.thread, e.trailer.time,
                      e.trailer.cpu, e.trailer.size);
  };
  time_offsets_agree_ &= places(first) == places(last);
  if (last.layout.id != sample_id_offset_ ||
      last.trailer.id_from_end != trailer_id_offset_) {
    diagnostics_->Add(Diagnostics::Severity::kNote,
                      "events disagree on where a record's id lies; the first "
                      "event's place is used");
  }
}

// EventOf() for records that are no samples, and for all records if there is at
// most one event.
uint32_t AttrTable::EventOfSlow(const RawRecord& record) const {
  if (record.type >= kRecordUserFirst || recorded_events_ == 0) return kNoEvent;
  if (recorded_events_ == 1) return 0;
  // The first event, for records without a trailer (no sample_id_all) and for
  // those that perf synthesized (id 0).
  if (!events_.front().attr.sample_id_all() || trailer_id_offset_ < 0) return 0;
  const size_t size = record.body.size();
  if (static_cast<size_t>(trailer_id_offset_) > size) return 0;
  const uint64_t id = Load<uint64_t>(
      record.body.data() + size - trailer_id_offset_, record.order);
  if (id == 0) return 0;
  const uint32_t event = EventOfId(id);
  return event == kNoEvent ? 0 : event;
}

const EventAttr& AttrTable::AttrOf(const RawRecord& record) const {
  const uint32_t event = EventOf(record);
  return event == kNoEvent ? no_attr_ : events_[event].attr;
}

size_t AttrTable::TrailerSize(const RawRecord& record) const {
  if (record.type == kRecordSample) return 0;
  const uint32_t event = EventOf(record);
  if (event == kNoEvent) return 0;
  return std::min(events_[event].trailer.size, record.body.size());
}

SampleId AttrTable::TrailerOf(const RawRecord& record) const {
  SampleId id;
  const size_t size = TrailerSize(record);
  Decode(record.body.subspan(record.body.size() - size), record.order,
         record.misc, size == 0 ? no_attr_ : AttrOf(record), &id);
  return id;
}

}  // namespace perf2x
