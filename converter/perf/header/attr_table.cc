#include "converter/perf/header/attr_table.h"

#include <algorithm>
#include <bit>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "converter/base/byte_reader.h"
#include "converter/base/cut_name.h"
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

int CountBits(uint64_t bits) { return std::popcount(bits); }

// Fields of a SAMPLE that are one word each and come first, in this order.
constexpr uint64_t kFirstFields[] = {
    kSampleIdentifier, kSampleIp,       kSampleTid, kSampleTime,  kSampleAddr,
    kSampleId,         kSampleStreamId, kSampleCpu, kSamplePeriod};
// Those that are one word each and come behind the callchain and raw data.
constexpr uint64_t kLastFields =
    kSampleWeight | kSampleDataSrc | kSampleTransaction | kSamplePhysAddr |
    kSampleCgroup | kSampleDataPageSize | kSampleCodePageSize;

// Bytes from the start of a SAMPLE to the first of kFirstFields, else -1.
int PlaceInSample(uint64_t type, uint64_t field) {
  if ((type & field) == 0) return -1;
  int place = 0;
  for (const uint64_t before : kFirstFields) {
    if (before == field) break;
    if (type & before) place += 8;
  }
  return place;
}

int SampleIdWord(uint64_t type) {
  const int place = PlaceInSample(
      type, (type & kSampleIdentifier) ? kSampleIdentifier : kSampleId);
  return place < 0 ? -1 : place / 8;
}

SamplePlaces PlacesOf(uint64_t type) {
  SamplePlaces places;
  // Two forms of the same word.
  if (type & kSampleWeightStruct) type |= kSampleWeight;
  places.ip = PlaceInSample(type, kSampleIp);
  places.thread = PlaceInSample(type, kSampleTid);
  places.time = PlaceInSample(type, kSampleTime);
  places.cpu = PlaceInSample(type, kSampleCpu);
  places.period = PlaceInSample(type, kSamplePeriod);
  uint64_t first = 0;
  for (const uint64_t field : kFirstFields) first |= field;
  places.behind_first = 8 * CountBits(type & first);
  places.last = 8 * CountBits(type & kLastFields);
  places.has_chain = (type & kSampleCallchain) != 0;
  places.has_raw = (type & kSampleRaw) != 0;
  places.no_more = (type & ~(first | kLastFields | kSampleWeightStruct |
                             kSampleCallchain | kSampleRaw)) == 0;
  return places;
}

int TrailerIdWord(uint64_t type) {
  if (type & kSampleIdentifier) return 1;
  if (!(type & kSampleId)) return -1;
  return 1 + CountBits(type & (kSampleCpu | kSampleStreamId));
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
  const uint64_t type = event.attr.sample_type;
  if (event.attr.sample_id_all()) event.trailer_size = SampleId::Size(type);
  event.places = PlacesOf(type);
  if ((type & kSampleTime) && event.trailer_size > 0) {
    event.trailer_time = (type & kSampleTid) ? 8 : 0;
  }
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
  const EventAttr& attr = event.attr;
  const bool software = attr.type == kTypeSoftware;
  event.is_offcpu = software && attr.config == kSoftwareBpfOutput &&
                    event.name == "offcpu-time";
  event.is_time =
      event.is_offcpu || (software && (attr.config == kSoftwareCpuClock ||
                                       attr.config == kSoftwareTaskClock));
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
  const uint64_t first = events_.front().attr.sample_type;
  sample_id_word_ = SampleIdWord(first);
  trailer_id_word_ = TrailerIdWord(first);
  const uint64_t last = events_.back().attr.sample_type;
  const auto places = [](const RecordedEvent& e) {
    return std::tuple(e.places.time, e.trailer_time, e.trailer_size);
  };
  places_agree_ &= places(events_.front()) == places(events_.back());
  if (SampleIdWord(last) != sample_id_word_ ||
      TrailerIdWord(last) != trailer_id_word_) {
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
  const size_t words = record.body.size() / 8;
  // Without sample_id_all, or for what perf made up (id 0): the first event.
  if (!events_.front().attr.sample_id_all() || trailer_id_word_ < 0) return 0;
  if (trailer_id_word_ > words) return 0;
  const uint64_t id = Load<uint64_t>(
      record.body.data() + record.body.size() - 8 * trailer_id_word_,
      record.order);
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
  return std::min(events_[event].trailer_size, record.body.size());
}

SampleId AttrTable::TrailerOf(const RawRecord& record) const {
  SampleId id;
  const size_t size = TrailerSize(record);
  Decode(record.body.subspan(record.body.size() - size), record.order,
         record.misc, size == 0 ? no_attr_ : AttrOf(record), &id);
  return id;
}

void AttrTable::ReadKey(const RawRecord& record, TimedRecord* to) const {
  to->head.event = kNoEvent;
  if (record.type != kRecordSample) return;
  const uint32_t event = EventOf(record);
  if (event == kNoEvent || !events_[event].places.no_more) return;
  const SamplePlaces& at = events_[event].places;
  const uint8_t* body = record.body.data();
  const size_t size = record.body.size();
  size_t end = static_cast<size_t>(at.behind_first);  // of what was looked at
  if (size < end + (at.has_chain ? 8 : 0)) return;
  const auto word = [&](int place) {
    return Load<uint64_t>(body + place, record.order);
  };
  SampleKey& head = to->head;
  if (at.has_chain) {
    const WordSpan words(body + end, (size - end) / 8, record.order);
    const uint64_t nr = words[0];
    if (record.order != kHostOrder || nr < 2 || nr >= words.size() ||
        words[1] < kContextMax || words[2] >= kContextMax ||
        words[nr - 1] == kContextUserDeferred) {
      return;
    }
    end += 8;
    to->callchain_at = static_cast<uint16_t>(end);
    to->callchain_words = static_cast<uint16_t>(nr);
    const Hash128 hash = HashBytes({body + end, static_cast<size_t>(nr) * 8});
    head.callchain_hash.low = hash.low;
    head.callchain_hash.high = hash.high;
    end += static_cast<size_t>(nr) * 8;
  }
  if (at.has_raw) {
    if (size < end + 4) return;
    end += 4 + size_t{Load<uint32_t>(body + end, record.order)};
  }
  if (size < end + static_cast<size_t>(at.last)) return;
  head.ip = at.ip < 0 ? 0 : word(at.ip);
  head.pid = head.tid = -1;
  if (at.thread >= 0) {
    head.pid =
        static_cast<int32_t>(Load<uint32_t>(body + at.thread, record.order));
    head.tid = static_cast<int32_t>(
        Load<uint32_t>(body + at.thread + 4, record.order));
  }
  head.cpu = at.cpu < 0 ? ~0u : Load<uint32_t>(body + at.cpu, record.order);
  head.period =
      at.period < 0 ? events_[event].default_period() : word(at.period);
  head.event = event;
}

}  // namespace perf2x
