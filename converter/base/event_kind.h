// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_EVENT_KIND_H_
#define PERF2X_BASE_EVENT_KIND_H_

#include <cstdint>

namespace perf2x {

// How the samples of an event are interpreted. Decided once for each event of a
// recording, by EventKindOf() in converter/perf/header.
enum class EventKind : uint8_t {
  kSampled,  // hardware, raw and all other events: samples of code
  kClock,  // cpu-clock, task-clock: samples of code; periods are ns of run time
  kTracepoint,  // tracepoint or probe: samples have the fields of its format
  kOffCpu,      // `perf record --off-cpu`: periods are ns off the CPU
  kDummy,       // has no samples: perf opens it for side-band records
  kPageFault,   // page-faults, minor-faults, major-faults: samples of code
};

// Returns true for kSampled, kClock and kPageFault, whose samples are samples
// of code.
constexpr bool SamplesCode(EventKind kind) {
  return kind == EventKind::kSampled || kind == EventKind::kPageFault ||
         kind == EventKind::kClock;
}

// Returns true if periods are nanoseconds.
constexpr bool HasTimePeriods(EventKind kind) {
  return kind == EventKind::kClock || kind == EventKind::kOffCpu;
}

}  // namespace perf2x

#endif  // PERF2X_BASE_EVENT_KIND_H_
