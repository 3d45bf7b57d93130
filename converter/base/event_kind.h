// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_EVENT_KIND_H_
#define PERF2X_BASE_EVENT_KIND_H_

#include <cstdint>

namespace perf2x {

// How samples of an event are to be read. Decided once for each event of a
// recording, by EventKindOf() in converter/perf/header.
enum class EventKind : uint8_t {
  kSampled,     // hardware, software, raw or breakpoint event: samples of code
  kClock,       // likewise, and periods are nanoseconds that code ran
  kTracepoint,  // tracepoint or probe: samples carry fields
  kOffCpu,      // `perf record --off-cpu`: periods are nanoseconds asleep
  kDummy,       // never occurs: perf opens it for side records
};

// Returns true if periods are nanoseconds.
constexpr bool HasTimePeriods(EventKind kind) {
  return kind == EventKind::kClock || kind == EventKind::kOffCpu;
}

}  // namespace perf2x

#endif  // PERF2X_BASE_EVENT_KIND_H_
