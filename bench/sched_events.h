// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BENCH_SCHED_EVENTS_H_
#define PERF2X_BENCH_SCHED_EVENTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "bench/record_buffer.h"

namespace perf2x::bench {

// The ids of the two events in the generated tracing data.
inline constexpr uint64_t kSchedSwitchId = 372;
inline constexpr uint64_t kSchedWakeupId = 374;

// A task as the scheduler's tracepoints name it.
struct SchedTask {
  uint32_t tid = 0;
  std::string comm;
};

// Returns the payload of the feature TRACING_DATA, with the formats of the two
// events.
std::vector<uint8_t> SchedTracingData();

// Append the RAW field of a sample: its size and the event's fields, padded. In
// a switch, `prev` goes to sleep if `sleeps`; else it is preempted.
void AppendSwitchRaw(const SchedTask& prev, bool sleeps, const SchedTask& next,
                     RecordBuffer& out);
void AppendWakeupRaw(uint32_t current_tid, const SchedTask& woken, uint32_t cpu,
                     RecordBuffer& out);

}  // namespace perf2x::bench

#endif  // PERF2X_BENCH_SCHED_EVENTS_H_
