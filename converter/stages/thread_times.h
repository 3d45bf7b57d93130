// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_STAGES_THREAD_TIMES_H_
#define PERF2X_STAGES_THREAD_TIMES_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "absl/base/attributes.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "converter/base/prefetch.h"
#include "converter/model/emitter.h"
#include "converter/model/trace_tables.h"
#include "converter/stages/cpu_losses.h"
#include "converter/stages/running_rows.h"
#include "converter/stages/thread_execs.h"
#include "converter/stages/thread_row.h"
#include "converter/stages/thread_time.h"

namespace perf2x {

// Divides the life of each thread of a recording into stretches, from switches,
// wake-ups and samples, and passes them to a sink. A run is the time from a
// switch-in to the next switch-out. A life begins with the thread's FORK, else
// with the recording. A life ends with the last run of a thread that exits,
// else with the recording. The stretches of a thread sum up to its life. Idle
// threads, and threads that occur in no event, have no stretches. Switches,
// wake-ups, forks and exits without a time are ignored. docs/wall-clock.md has
// the rules. Errors are the sink's. Not thread-safe.
class ThreadTimes {
 public:
  // References must outlive this. `max_wakers` is the maximum size of
  // ThreadTime::wakers, at least 1.
  ThreadTimes(const TraceTables& tables, ThreadTimeSink& sink,
              size_t max_wakers)
      : tables_(tables), sink_(sink), max_wakers_(max_wakers) {}

  // Adds a sample of the event that shows where threads run. `interval` is the
  // time that the sample stands for, in ns; 0: not known. A sample without a
  // time becomes a stretch of `interval`.
  absl::Status OnSample(const Sample& sample, uint64_t interval);
  // Adds a sample of `perf record --off-cpu`: the thread slept for
  // Sample::period ns, up to the sample's time. Passes a kBlocked stretch of
  // that length to the sink. Does nothing once has_switches(): switches show
  // the same sleep.
  absl::Status OnOffCpuSample(const Sample& sample);
  // To be called when a thread begins (`waits` is true) or stops waiting for a
  // lock of this kind. Between these calls its waits are kLock, except waits
  // for a CPU. A futex call may wait for locks of the kernel.
  void OnLock(ThreadId thread, LockKind kind, bool waits) {
    Row& row = RowOf(thread);
    (kind == LockKind::kFutex ? row.in_futex : row.in_kernel_lock) = waits;
  }
  // Applies a switch-in or switch-out. Passes the run or the wait that it ends
  // to the sink. Switch::after_gap counts as OnLost for the switch's CPU.
  absl::Status OnSwitch(const Switch& event);
  // Ends the wait of the woken thread, which is kRunnable from now on. Ignores
  // wake-ups before the first switch.
  absl::Status OnWakeup(const Wakeup& event);
  // Begins the life of the child. Ends the life of an earlier thread with the
  // same pid and tid.
  absl::Status OnFork(const Fork& fork);
  // Notes that the thread exits: its life ends with its present run.
  absl::Status OnExit(const Exit& exit);
  // Notes the time of an exec. If the process's main thread has exited, another
  // thread called exec: it is the main thread from now on, and the lives of all
  // other threads of the process end.
  absl::Status OnExec(const Exec& exec);
  // To be called when records of `cpu` were lost; -1: of any CPU. A thread that
  // ran on that CPU, or that waited, is kUnknown until its next switch or
  // sample.
  void OnLost(int32_t cpu) { losses_.Add(cpu); }
  // Notes a time of the recording, in ns: the recording lasts at least from the
  // first of these times to the latest. Passes nothing to the sink.
  void NoteTime(uint64_t time) {
    if (!first_.has_value()) first_ = time;
    last_ = std::max(last_, time);
  }
  // Ends all lives. To be called once, last. `last` is the recording's last
  // time in ns; absent: the latest of all events.
  absl::Status Finish(std::optional<uint64_t> last);

  // Prefetches what is known of a thread, which may be new.
  void ExpectThread(ThreadId thread) const {
    if (thread < row_of_.size()) PrefetchForWriting(row_of_[thread]);
  }

  // Returns true once a thread that is not idle was switched.
  bool has_switches() const { return has_switches_; }
  // Returns the approximate memory in bytes.
  uint64_t memory() const {
    constexpr uint64_t kOfIds = 48;
    return rows_.size() * (sizeof(Row) + kOfIds) + running_.memory() +
           thread_execs_.memory();
  }

 private:
  using Row = ThreadRow;

  Row& RowOf(ThreadId thread) {
    Row* const row = KnownRowOf(thread);
    return row != nullptr ? *row : AddRowOf(thread);
  }
  // Returns null if there is none yet.
  Row* KnownRowOf(ThreadId thread) const {
    return thread < row_of_.size() ? row_of_[thread] : nullptr;
  }
  Row& AddRowOf(ThreadId thread);
  // These and others are called once or twice for each switch.
  ABSL_ATTRIBUTE_ALWAYS_INLINE inline Row& Touch(Row& row,
                                                 std::optional<uint64_t> time);
  ABSL_ATTRIBUTE_ALWAYS_INLINE inline absl::Status Report(Row& row,
                                                          ThreadTime& time);
  absl::Status EndRun(Row& row, uint64_t time, StackId out_stack);
  absl::Status EndWait(Row& row, uint64_t time);
  absl::Status EndStart(Row& row, uint64_t time);
  absl::Status In(Row& row, uint64_t time, int32_t cpu);
  ABSL_ATTRIBUTE_ALWAYS_INLINE inline absl::Status Out(Row& row,
                                                       const Switch& event);
  absl::Status Leave(Row& left, int32_t cpu);
  void BeginLife(Row& row, uint64_t time);
  absl::Status EndLife(Row& row);
  // Returns when the thread exited, or when another thread's exec ended it.
  std::optional<uint64_t> GoneAt(const Row& row) const;
  absl::Span<const ThreadId> WakersOf(const Row& row);
  bool HasCallchain(StackId stack) const {
    return stack != kNoId && tables_.stacks.callchain_words(stack) > 2;
  }
  const TraceTables& tables_;
  ThreadTimeSink& sink_;
  const size_t max_wakers_;
  std::deque<Row> rows_;      // does not move them
  std::vector<Row*> row_of_;  // by ThreadId; null: none yet
  absl::flat_hash_map<std::pair<int32_t, int32_t>, Row*>
      rows_by_tid_;           // by pid and tid
  RunningRows<Row> running_;  // null: no row runs
  std::optional<uint64_t> first_;
  uint64_t last_ = 0;
  ThreadExecs thread_execs_;
  CpuLosses losses_;
  bool has_switches_ = false;
  // If set, switches come from sched:sched_switch, and SWITCH records only
  // repeat them.
  bool traced_ = false;
  std::vector<ThreadId> wakers_;  // of the current wait
};

}  // namespace perf2x

#endif  // PERF2X_STAGES_THREAD_TIMES_H_
