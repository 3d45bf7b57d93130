// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_STAGES_FILTERED_EMITTER_H_
#define PERF2X_STAGES_FILTERED_EMITTER_H_

#include "converter/model/emitter.h"
#include "converter/model/trace_tables.h"
#include "converter/stages/forwarding_emitter.h"
#include "converter/stages/sample_filter.h"

namespace perf2x {

// Forwards the events that a filter selects to another emitter. Forwards all
// samples, as the session has filtered them already. Not thread-safe. Errors
// are the other emitter's.
//
// Selects by thread, CPU and time; counters and throttling also by event.
// Ignores the time for OnThread and OnMap, and the thread for OnLost. A fork is
// selected if both threads are. A wake-up is selected by the woken thread and
// Wakeup::target_cpu, a call by the CPU on which it began: where that is not
// selected, a Call forwards no more than the ends of calls.
//
// An event without a time, CPU or thread is selected, with two exceptions. With
// a filter by CPU, switches, wake-ups, calls and counters must have a CPU. With
// a filter by thread, counters and AUX gaps must have a thread.
//
// Lost::thread, Wakeup::waker and Switch::other are set to kNoId if the filter
// does not select that thread.
class FilteredEmitter final : public ForwardingEmitter {
 public:
  // Arguments must outlive the emitter.
  FilteredEmitter(SampleFilter& filter, const TraceTables& tables, Emitter& to)
      : ForwardingEmitter(to), filter_(filter), tables_(tables) {}

  // Each forwards the event if it is selected. Otherwise returns OK.
  absl::Status OnThread(ThreadId thread, std::optional<uint64_t> time) override;
  absl::Status OnFork(const Fork& fork) override;
  absl::Status OnExec(const Exec& exec) override;
  absl::Status OnExit(const Exit& exit) override;
  absl::Status OnMap(const MapEvent& map) override;
  absl::Status OnSwitch(const Switch& event) override;
  absl::Status OnWakeup(const Wakeup& wakeup) override;
  absl::Status OnCall(const Call& call) override;
  absl::Status OnCounter(const Counter& counter) override;
  absl::Status OnLost(const Lost& lost) override;
  absl::Status OnAuxGap(const AuxGap& gap) override;
  absl::Status OnThrottle(const Throttle& throttle) override;
  absl::Status OnRecord(const RecordEvent& record) override;

  // Returns the number of forwarded events that begin a call.
  uint64_t calls() const { return calls_; }

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
  uint64_t calls_ = 0;
  // Current threads by tid, for raw records, which have no ThreadId.
  absl::flat_hash_map<int32_t, ThreadId> threads_;
};

}  // namespace perf2x

#endif  // PERF2X_STAGES_FILTERED_EMITTER_H_
