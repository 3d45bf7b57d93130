// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_STAGES_FILTERED_EMITTER_H_
#define PERF2X_STAGES_FILTERED_EMITTER_H_

#include "converter/model/emitter.h"
#include "converter/model/trace_tables.h"
#include "converter/stages/forwarding_emitter.h"
#include "converter/stages/sample_filter.h"

namespace perf2x {

// Forwards the events that a filter selects to another emitter: by thread, CPU
// and time; counters and throttling also by event. Threads and mappings are
// selected at any time, and losses of any thread. Of a fork, both threads must
// be selected; of a wake-up, the woken thread and its CPU. An event without a
// time is selected. So is one without a CPU or thread, with these exceptions:
// switches, wake-ups and counters need a CPU, counters and AUX gaps a thread,
// if the filter is by these. In a forwarded event, a loss's thread, a waker and
// the other thread of a switch become kNoId if they are not selected. Forwards
// all samples: the session has filtered them already. Not thread-safe; errors
// are the other emitter's.
class FilteredEmitter final : public ForwardingEmitter {
 public:
  // Arguments must outlive the emitter.
  FilteredEmitter(SampleFilter& filter, const TraceTables& tables, Emitter& to)
      : ForwardingEmitter(to), filter_(filter), tables_(tables) {}

  absl::Status OnThread(ThreadId thread, std::optional<uint64_t> time) override;
  absl::Status OnFork(const Fork& fork) override;
  absl::Status OnExec(const Exec& exec) override;
  absl::Status OnExit(const Exit& exit) override;
  absl::Status OnMap(const MapEvent& map) override;
  absl::Status OnSwitch(const Switch& event) override;
  absl::Status OnWakeup(const Wakeup& wakeup) override;
  absl::Status OnCounter(const Counter& counter) override;
  absl::Status OnLost(const Lost& lost) override;
  absl::Status OnAuxGap(const AuxGap& gap) override;
  absl::Status OnThrottle(const Throttle& throttle) override;
  absl::Status OnRecord(const RecordEvent& record) override;

 private:
  // Returns true if the filter selects `thread`. Selects kNoId unless the
  // filter is by thread.
  bool SelectsThread(ThreadId thread) {
    return thread == kNoId ? !filter_.by_thread()
                           : filter_.SelectsThread(thread);
  }
  // Returns `thread` if the filter selects it, else kNoId.
  ThreadId IfSelected(ThreadId thread) {
    return thread == kNoId || filter_.SelectsThread(thread) ? thread : kNoId;
  }

  SampleFilter& filter_;
  const TraceTables& tables_;
  // Current threads by tid, for raw records, which have no ThreadId.
  absl::flat_hash_map<int32_t, ThreadId> threads_;
};

}  // namespace perf2x

#endif  // PERF2X_STAGES_FILTERED_EMITTER_H_
