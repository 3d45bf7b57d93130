#include "converter/perf/header/attr_table.h"

#include <algorithm>
#include <bit>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "converter/base/byte_reader.h"
#include "converter/base/cut_name.h"
#include "converter/perf/header/event_kind.h"
#include "converter/perf/header/event_name.h"
#include "converter/perf/records/decode.h"
#include "converter/perf/records/user_records.h"
#include "converter/perf/records/wire.h"

namespace perf2x {
namespace {

// A string as header features store it: u32 length, then as many bytes, NUL
// padded (do_write_string() in tools/perf/util/header.c).
absl::string_view FeatureString(ByteReader* in) {
  return in->FixedString(in->U32());
}

}  // namespace

void AttrTable::Learn(const RawRecord& record) {
  // Names of events come in lists; they are given out behind the list's end.
  if (names_stale_ && record.type != kRecordHeaderEventType) Rename();
  switch (record.type) {
    case kRecordHeaderAttr:
      return AddAttr(record);
    case kRecordHeaderEventType:
      return AddEventType(record);
    case kRecordHeaderFeature:
      return AddFeature(record);
    case kRecordEventUpdate:
      return Update(record);
    default:
      return;
  }
}

void AttrTable::AddAttr(const RawRecord& record) {
  if (events_.size() == kMaxEvents) {
    diagnostics_->Add(Diagnostics::Severity::kSkipped,
                      "event beyond the 32768 that are told apart",
                      record.offset, record.body.size());
    return;
  }
  HeaderAttrRecord header;
  RecordedEvent event;
  if (!Decode(record.body, record.order, record.misc, no_attr_, &header) ||
      !DecodeAttr(record.body, record.order, &event.attr)) {
    diagnostics_->Add(Diagnostics::Severity::kSkipped,
                      "HEADER_ATTR record too short for its attr",
                      record.offset, record.body.size());
    return;
  }
  if ((event.attr.sample_type & ~kSampleKnown) != 0) {
    diagnostics_->Add(Diagnostics::Severity::kNote,
                      "event with sample_type bits that are not known",
                      record.offset);
  }
  event.layout = SampleLayout::Of(event.attr);
  event.trailer = TrailerLayout::Of(event.attr);
  const auto index = static_cast<uint32_t>(events_.size());
  const uint32_t pmu = PmuTypeOf(event.attr);
  by_pmu_[event.attr.type].push_back(index);
  if (pmu != event.attr.type) by_pmu_[pmu].push_back(index);
  by_config_[event.attr.config].push_back(index);
  events_.push_back(std::move(event));
  is_changed_.push_back(false);
  ++without_ids_;
  sum_without_ids_ += index;
  AddIds(index, header.ids);
  MakeUpName(index);
  // Not for each attr: there may be thousands of both.
  if (events_.size() == descriptions_.size()) ApplyDescriptions();
  Locate();
}

// What follows from an event's name and attr together.
void AttrTable::Changed(uint32_t index) {
  RecordedEvent& event = events_[index];
  event.kind = EventKindOf(event.attr, event.name);
  if (!is_changed_[index]) changed_.push_back(index);
  is_changed_[index] = true;
  ++version_;
}

std::vector<uint32_t> AttrTable::TakeChanged() {
  for (const uint32_t event : changed_) is_changed_[event] = false;
  return std::exchange(changed_, {});
}

template <class Ids>
void AttrTable::AddIds(uint32_t event, const Ids& ids) {
  for (size_t i = 0; i < ids.size(); ++i) {
    if (by_id_.size() == kMaxEventIds && !by_id_.contains(ids[i])) {
      diagnostics_->Add(Diagnostics::Severity::kSkipped,
                        "id of an event beyond the 524288 that are told apart");
      continue;
    }
    if (!by_id_.emplace(ids[i], event).second) continue;
    if (events_[event].ids.empty()) {
      --without_ids_;
      sum_without_ids_ -= event;
    }
    events_[event].ids.push_back(ids[i]);
  }
  found_ = {};
  ++version_;
}

void AttrTable::AddEventType(const RawRecord& record) {
  HeaderEventTypeRecord type;
  if (!Decode(record.body, record.order, record.misc, no_attr_, &type)) return;
  // The first name counts, so that many of them name no event twice.
  if (event_types_.size() == kMaxEvents ||
      !event_types_.try_emplace(type.event_id, type.name).second) {
    return;
  }
  new_event_types_.push_back(type.event_id);
  names_stale_ = true;
}

void AttrTable::AddFeature(const RawRecord& record) {
  ByteReader in(record.body, record.order);
  const uint64_t feature = in.U64();
  if (feature == kFeatureEventDesc) AddEventDesc(record);
  if (feature == kFeaturePmuMappings) AddPmuMappings(record);
}

// write_event_desc(): u32 nr, u32 attr_size, and for each event its attr, u32
// nr_ids, name and ids.
void AttrTable::AddEventDesc(const RawRecord& record) {
  ByteReader in(record.body, record.order);
  in.Skip(8);
  const uint32_t nr = in.U32();
  const uint32_t attr_size = in.U32();
  descriptions_.clear();
  for (uint32_t i = 0; i < nr && in.ok(); ++i) {
    EventAttr attr;
    const bool known = DecodeAttr(in.Bytes(attr_size), record.order, &attr);
    const uint32_t nr_ids = in.U32();
    const absl::string_view name = FeatureString(&in);
    const WordSpan ids = in.Words(nr_ids);
    if (!in.ok() || !known) break;
    Description& description = descriptions_.emplace_back();
    description.name = std::string(
        CutName(name, kMaxEventNameSize, record.offset, diagnostics_));
    for (size_t k = 0; k < ids.size(); ++k) description.ids.push_back(ids[k]);
  }
  if (!in.ok()) {
    diagnostics_->Add(Diagnostics::Severity::kDamage,
                      "EVENT_DESC feature is cut short", record.offset);
  }
  ApplyDescriptions();
}

// Gives events the names and ids that EVENT_DESC has for them.
void AttrTable::ApplyDescriptions() {
  for (size_t i = 0; i < descriptions_.size(); ++i) {
    const Description& description = descriptions_[i];
    // The same event again, with its name: by id, or else by place.
    uint32_t event =
        description.ids.empty() ? kNoEvent : EventOfId(description.ids[0]);
    if (event == kNoEvent && i < events_.size()) {
      event = static_cast<uint32_t>(i);
    }
    if (event == kNoEvent) continue;
    AddIds(event, description.ids);
    if (!description.name.empty()) {
      events_[event].name = description.name;
      events_[event].named_by_writer = true;
      Changed(event);
    }
  }
  TellApartByPmu();
}

// write_pmu_mappings(): u32 nr, and for each PMU u32 type and its name.
void AttrTable::AddPmuMappings(const RawRecord& record) {
  ByteReader in(record.body, record.order);
  in.Skip(8);
  const uint32_t nr = in.U32();
  for (uint32_t i = 0; i < nr && in.ok(); ++i) {
    const uint32_t type = in.U32();
    const absl::string_view name = FeatureString(&in);
    if (!in.ok()) break;
    const absl::string_view cut =
        CutName(name, kMaxFileNameSize, record.offset, diagnostics_);
    // The first name counts, so that many of them name no event twice.
    if (pmus_.size() == kMaxEvents || !pmus_.try_emplace(type, cut).second) {
      continue;
    }
    const auto events = by_pmu_.find(type);
    if (events == by_pmu_.end()) continue;
    for (const uint32_t event : events->second) MakeUpName(event);
  }
  TellApartByPmu();
}

// perf 7 writes one name for an event on both kinds of cores of a hybrid
// machine, as it tells them apart by itself: evsel__set_needs_uniquify().
void AttrTable::TellApartByPmu() {
  // What names events and PMUs comes once, or twice; more costs too much.
  constexpr int kMaxTimes = 16;
  if (++told_apart_ > kMaxTimes) return;
  absl::flat_hash_map<std::string, uint32_t> pmu_of;  // by name
  absl::flat_hash_set<std::string> shared;
  for (const RecordedEvent& event : events_) {
    const uint32_t pmu = PmuTypeOf(event.attr);
    auto [it, inserted] = pmu_of.try_emplace(event.name, pmu);
    if (!inserted && it->second != pmu) shared.insert(event.name);
  }
  for (uint32_t i = 0; i < events_.size(); ++i) {
    RecordedEvent& event = events_[i];
    if (!event.pmu.empty() && shared.contains(event.name)) {
      event.name = WithPmu(event.pmu, event.name);
      Changed(i);
    }
  }
}

void AttrTable::Update(const RawRecord& record) {
  EventUpdateRecord update;
  if (!Decode(record.body, record.order, record.misc, no_attr_, &update)) {
    return;
  }
  const uint32_t index = EventOfId(update.id);
  if (index == kNoEvent) return;
  RecordedEvent& event = events_[index];
  const absl::string_view text =
      CutName(update.text, kMaxEventNameSize, record.offset, diagnostics_);
  switch (update.kind) {
    case EventUpdateRecord::kUnit:
      event.unit = std::string(text);
      break;
    case EventUpdateRecord::kScale:
      event.scale = std::bit_cast<double>(update.scale_bits);
      break;
    case EventUpdateRecord::kNameText:
      if (!event.named_by_writer && !update.text.empty()) {
        event.name = std::string(text);
        event.named_by_writer = true;
      }
      break;
    default:
      return;
  }
  Changed(index);
}

void AttrTable::Rename() {
  names_stale_ = false;
  for (const uint64_t config : std::exchange(new_event_types_, {})) {
    const auto events = by_config_.find(config);
    if (events == by_config_.end()) continue;
    for (const uint32_t event : events->second) MakeUpName(event);
  }
}

// Names an event's PMU, and the event itself unless its writer did.
void AttrTable::MakeUpName(uint32_t index) {
  RecordedEvent& event = events_[index];
  const uint32_t pmu = PmuTypeOf(event.attr);
  auto named = pmus_.find(pmu);
  if (pmu != 0) {
    event.pmu =
        named != pmus_.end() ? named->second : std::string(OwnPmuName(pmu));
  }
  if (!event.named_by_writer) {
    auto it = event_types_.find(event.attr.config);
    event.name = it != event_types_.end() && !it->second.empty()
                     ? it->second
                     : EventNameOf(event.attr, pmus_);
  }
  Changed(index);
}

void AttrTable::Locate() {
  const RecordedEvent& first = events_.front();
  const RecordedEvent& last = events_.back();
  sample_id_ = first.layout.id;
  trailer_id_ = first.trailer.id_from_end;
  const auto places = [](const RecordedEvent& e) {
    return std::tuple(e.layout.time, e.trailer.time, e.trailer.size);
  };
  places_agree_ &= places(first) == places(last);
  if (last.layout.id != sample_id_ || last.trailer.id_from_end != trailer_id_) {
    diagnostics_->Add(Diagnostics::Severity::kNote,
                      "events disagree on where a record's id lies; the first "
                      "event's place is used");
  }
}

uint32_t AttrTable::Find(uint64_t id) const {
  auto it = by_id_.find(id);
  if (it == by_id_.end()) {
    return id == 0 && without_ids_ == 1 ? sum_without_ids_ : kNoEvent;
  }
  found_[id % found_.size()] = {id, it->second};
  return it->second;
}

// Of what is no sample, or where there is nothing to choose from.
uint32_t AttrTable::EventOfOther(const RawRecord& record) const {
  if (record.type >= kRecordUserFirst || events_.empty()) return kNoEvent;
  if (events_.size() == 1) return 0;
  // Without sample_id_all, or for what perf made up (id 0): the first event.
  if (!events_.front().attr.sample_id_all() || trailer_id_ < 0) return 0;
  const size_t size = record.body.size();
  if (static_cast<size_t>(trailer_id_) > size) return 0;
  const uint64_t id =
      Load<uint64_t>(record.body.data() + size - trailer_id_, record.order);
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
