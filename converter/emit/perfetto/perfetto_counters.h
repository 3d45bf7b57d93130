// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_PERFETTO_PERFETTO_COUNTERS_H_
#define PERF2X_EMIT_PERFETTO_PERFETTO_COUNTERS_H_

#include <cstdint>
#include <map>
#include <tuple>

#include "converter/emit/perfetto/perfetto_threads.h"
#include "converter/emit/perfetto/perfetto_track_events.h"
#include "converter/model/emitter.h"

namespace perf2x {

// Writes counts on counter tracks, one for each combination of event, thread
// and CPU. During the interval of a count, the track has the count's value.
// Between intervals, it has 0. Charges no budget; see memory(). Not
// thread-safe.
class PerfettoCounters {
 public:
  // All must outlive this.
  PerfettoCounters(const TraceTables& tables, PerfettoThreads& threads,
                   PerfettoTrackEvents& events)
      : tables_(tables), threads_(threads), events_(events) {}

  // `counter.time` must be present. `start` is the time of the trace's first
  // event. Shows a count from `start` on if its interval begins before `start`.
  // The first count of a track is also shown from `start` on if Counter::since
  // is absent.
  void OnCounter(const Counter& counter, uint64_t start);
  // Ends each track: its value is 0 from the end of its last count on. To be
  // called once, last.
  void Finish();
  // Returns the approximate memory of the tracks, in bytes.
  uint64_t memory() const {
    constexpr uint64_t kOfNode = 128;
    return series_.size() * (sizeof(*series_.begin()) + kOfNode);
  }

 private:
  struct Series {
    uint64_t track = 0;  // uuid
    uint64_t end = 0;    // end time of the last count
  };
  uint64_t AddTrack(const Counter& counter);

  const TraceTables& tables_;
  PerfettoThreads& threads_;
  PerfettoTrackEvents& events_;
  // By event, thread and CPU.
  std::map<std::tuple<EventId, ThreadId, int32_t>, Series> series_;
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_PERFETTO_PERFETTO_COUNTERS_H_
