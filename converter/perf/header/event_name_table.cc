// SPDX-License-Identifier: Apache-2.0
#include "converter/perf/header/event_name_table.h"

#include <utility>

#include "absl/strings/string_view.h"
#include "converter/base/byte_reader.h"
#include "converter/base/truncate_name.h"
#include "converter/perf/header/event_name.h"
#include "converter/perf/header/recorded_event.h"
#include "converter/perf/records/decode.h"
#include "converter/perf/records/skip_record.h"
#include "converter/perf/records/user_records.h"

namespace perf2x {
namespace {

// A string as header features store it: u32 length, then as many bytes, NUL
// padded (do_write_string() in tools/perf/util/header.c).
absl::string_view FeatureString(ByteReader* in) {
  return in->FixedString(in->U32());
}

template <class Key>
void AppendEvents(const absl::flat_hash_map<Key, std::vector<uint32_t>>& by,
                  Key key, std::vector<uint32_t>* to) {
  const auto it = by.find(key);
  if (it == by.end()) return;
  to->insert(to->end(), it->second.begin(), it->second.end());
}

}  // namespace

// u32 nr, u32 attr_size, and for each event its attr, u32 nr_ids, name and ids.
std::vector<EventDescription> ReadEventDesc(const RawRecord& record,
                                            Diagnostics* diagnostics) {
  std::vector<EventDescription> out;
  ByteReader in(record.body, record.order);
  in.Skip(8);  // the feature's number
  const uint32_t nr = in.U32();
  const uint32_t attr_size = in.U32();
  for (uint32_t i = 0; i < nr && in.ok(); ++i) {
    EventAttr attr;
    const bool known = DecodeAttr(in.Bytes(attr_size), record.order, &attr);
    const uint32_t nr_ids = in.U32();
    const absl::string_view name = FeatureString(&in);
    const WordSpan ids = in.Words(nr_ids);
    if (!in.ok()) break;
    if (!known) {
      diagnostics->Add(Diagnostics::Severity::kDamage,
                       "EVENT_DESC feature has attrs that are too short",
                       record.offset);
      break;
    }
    EventDescription& description = out.emplace_back();
    description.name = std::string(
        TruncateName(name, kMaxEventNameSize, record.offset, diagnostics));
    for (size_t k = 0; k < ids.size(); ++k) description.ids.push_back(ids[k]);
  }
  if (!in.ok()) {
    diagnostics->Add(Diagnostics::Severity::kDamage,
                     "EVENT_DESC feature is cut short", record.offset);
  }
  return out;
}

void EventNameTable::AddEvent(uint32_t event, const EventAttr& attr) {
  const uint32_t pmu = PmuTypeOf(attr);
  events_of_pmu_[attr.type].push_back(event);
  if (pmu != attr.type) events_of_pmu_[pmu].push_back(event);
  events_of_config_[attr.config].push_back(event);
}

// write_pmu_mappings(): u32 nr, and for each PMU u32 type and its name.
std::vector<uint32_t> EventNameTable::AddPmuMappings(const RawRecord& record,
                                                     Diagnostics* diagnostics) {
  std::vector<uint32_t> named;
  ByteReader in(record.body, record.order);
  in.Skip(8);  // the feature's number
  const uint32_t nr = in.U32();
  for (uint32_t i = 0; i < nr && in.ok(); ++i) {
    const uint32_t type = in.U32();
    const absl::string_view name = FeatureString(&in);
    if (!in.ok()) break;
    const absl::string_view cut =
        TruncateName(name, kMaxFileNameSize, record.offset, diagnostics);
    if (pmus_.size() == kMaxEvents || !pmus_.try_emplace(type, cut).second) {
      continue;
    }
    AppendEvents(events_of_pmu_, type, &named);
  }
  return named;
}

void EventNameTable::AddEventType(const RawRecord& record,
                                  Diagnostics* diagnostics) {
  HeaderEventTypeRecord type;
  if (!Decode(record, &type)) {
    return CountSkippedRecord(record, kShorterThanItsFields, diagnostics);
  }
  if (event_types_.size() == kMaxEvents ||
      !event_types_.try_emplace(type.event_id, type.name).second) {
    return;
  }
  new_event_types_.push_back(type.event_id);
}

std::vector<uint32_t> EventNameTable::TakeNewlyNamed() {
  std::vector<uint32_t> named;
  for (const uint64_t config : std::exchange(new_event_types_, {})) {
    AppendEvents(events_of_config_, config, &named);
  }
  return named;
}

std::string EventNameTable::PmuNameOf(const EventAttr& attr) const {
  const uint32_t pmu = PmuTypeOf(attr);
  if (pmu == 0) return "";
  const auto it = pmus_.find(pmu);
  return it != pmus_.end() ? it->second : std::string(PerfPmuName(pmu));
}

std::string EventNameTable::NameOf(const EventAttr& attr) const {
  std::string own = EventNameOf(attr, pmus_);
  const auto it = event_types_.find(attr.config);
  if (it == event_types_.end() || it->second.empty()) return own;
  // The list has configs without types: a hardware and a software event may
  // share one. Their names are known but for the modifiers.
  const auto without_modifiers = [](absl::string_view name) {
    return name.substr(0, name.find(':'));
  };
  const bool is_known =
      attr.type == kTypeHardware || attr.type == kTypeSoftware;
  return is_known && without_modifiers(it->second) != without_modifiers(own)
             ? own
             : it->second;
}

}  // namespace perf2x
