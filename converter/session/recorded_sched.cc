// SPDX-License-Identifier: Apache-2.0
#include "converter/session/recorded_sched.h"

#include "converter/session/sched_events.h"

namespace perf2x {

// Recordings of the scheduler have a few formats of some hundred bytes. More
// memory is not worth it, as it is not accounted for.
bool RecordedSchedTracepoints::Observe(const RawRecord& record) {
  constexpr uint64_t kMaxMemory = 1 << 20;
  if (!formats_.Observe(record, unused_)) return false;
  if (formats_.memory() > kMaxMemory) formats_ = RecordedFormats();
  return true;
}

SchedPlaces RecordedSchedTracepoints::PlacesOf(const EventAttr& attr) const {
  const TracepointFormat* format = formats_.Find(attr);
  if (format == nullptr || !SchedEventDecoder::CountsHits(attr)) return {};
  const auto payloads = SchedPayloads::Of(*format);
  return payloads == nullptr ? SchedPlaces() : payloads->Places();
}

}  // namespace perf2x
