// SPDX-License-Identifier: Apache-2.0
#include "converter/session/sched_switch_events.h"

#include <algorithm>

#include "converter/perf/records/wire.h"
#include "converter/session/sched_events.h"

namespace perf2x {

// Recordings of the scheduler have a few formats of some hundred bytes. More
// memory is not worth it, as it is not accounted for.
bool SchedSwitchEvents::Observe(const RawRecord& record) {
  constexpr uint64_t kMaxMemory = 1 << 20;
  if (!formats_.Observe(record, unused_)) return false;
  if (formats_.memory() > kMaxMemory) formats_ = RecordedFormats();
  return true;
}

SwitchPlaces SchedSwitchEvents::PlacesOf(const EventAttr& attr) const {
  const TracepointFormat* format = formats_.Find(attr);
  if (format == nullptr || !SchedEventDecoder::CountsHits(attr)) return {};
  const auto fields = SchedEventDecoder::FieldsOfSwitch(*format);
  if (!fields.has_value()) return {};
  uint64_t end = 0;
  for (const TracepointFieldLayout* field :
       {&fields->tid, &fields->next_tid, &fields->state}) {
    if (field->kind != TracepointFieldLayout::Kind::kNumber || field->dynamic) {
      return {};
    }
    end = std::max(end, uint64_t{field->offset} + field->size);
  }
  if (fields->tid.size != sizeof(int32_t) ||
      fields->next_tid.size != sizeof(int32_t) || end > kMaxRecordSize) {
    return {};
  }
  return {fields->tid.offset, fields->next_tid.offset,
          static_cast<uint32_t>(end)};
}

}  // namespace perf2x
