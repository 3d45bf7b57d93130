// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_PERFETTO_PERFETTO_CALLS_H_
#define PERF2X_EMIT_PERFETTO_PERFETTO_CALLS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "converter/base/budget.h"
#include "converter/base/worker_pool.h"
#include "converter/emit/perfetto/perfetto_threads.h"
#include "converter/emit/perfetto/perfetto_track_events.h"
#include "converter/model/emitter.h"

namespace perf2x {

// Writes the calls of each thread (see Call) as nested slices, on a track
// "calls" below the thread's. Buffers some thousand changes and symbolizes
// their functions together. Charges memory to the budget; does not check it.
// Not thread-safe.
class PerfettoCalls {
 public:
  // The objects in `context`, `threads` and `events` must outlive this.
  PerfettoCalls(const EmitterContext& context, PerfettoThreads& threads,
                PerfettoTrackEvents& events)
      : tables_(context.tables),
        workers_(context.pipeline.workers()),
        threads_(threads),
        events_(events),
        memory_(context.budget) {}

  // `call.time` must be present. `track` is the row of the call's thread.
  void OnCall(const Call& call, TrackId track);
  // The thread exited: ends its slices.
  void Stop(TrackId track, uint64_t time);
  // Writes the buffered changes, and ends all slices at `time`. To be called
  // once, last.
  void Finish(uint64_t time);

 private:
  static constexpr size_t kMaxWaiting = 8192;

  struct Change {
    TrackId track;
    uint32_t depth;
    StackId function;
    uint64_t time;
  };
  struct Thread {
    uint64_t uuid = 0;           // of the track; 0: none yet
    std::vector<uint32_t> open;  // depths of the slices, outermost first
    uint64_t last = 0;           // time of the last change
  };
  void Add(const Change& change);
  void Flush();
  void NameFunctions();
  uint64_t NameOf(StackId function);
  void Apply(const Change& change);
  void Account();

  TraceTables& tables_;
  WorkerPool& workers_;
  PerfettoThreads& threads_;
  PerfettoTrackEvents& events_;
  Budget::Share memory_;
  std::vector<Change> waiting_;
  absl::flat_hash_map<StackId, StringId> names_;
  absl::flat_hash_map<StringId, uint64_t> ids_;  // of names, in the trace
  absl::flat_hash_map<TrackId, Thread> calls_;
  std::vector<TrackId> order_;  // of calls_
  uint64_t open_ = 0;           // slices of all threads
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_PERFETTO_PERFETTO_CALLS_H_
