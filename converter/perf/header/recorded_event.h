// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PERF_HEADER_RECORDED_EVENT_H_
#define PERF2X_PERF_HEADER_RECORDED_EVENT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "converter/base/event_kind.h"
#include "converter/perf/records/attr.h"
#include "converter/perf/records/sample_layout.h"

namespace perf2x {

// One event of a recording.
struct RecordedEvent {
  EventAttr attr;
  std::string name;  // never empty
  std::string pmu;   // empty where perf names none, or the name is not known
  std::string unit;  // of counter values, from EVENT_UPDATE; often empty
  double scale = 1;  // counter values times this are in `unit`
  std::vector<uint64_t> ids;       // each id is in one event only, the first
  bool has_recorded_name = false;  // else `name` is derived from the attr
  EventKind kind = EventKind::kSampled;
  SampleLayout layout;    // of its samples
  TrailerLayout trailer;  // of its other records

  // Returns the period of samples that do not record one: the attr's period, or
  // 1 if the attr has a frequency.
  uint64_t default_period() const {
    return attr.freq() ? 1 : attr.sample_period;
  }
};

// The most events that are kept, far more than recordings have. Further events
// are skipped and counted; their samples have no event.
inline constexpr size_t kMaxEvents = 1 << 15;

}  // namespace perf2x

#endif  // PERF2X_PERF_HEADER_RECORDED_EVENT_H_
