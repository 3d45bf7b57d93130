// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_STAGES_WALL_CLOCK_H_
#define PERF2X_STAGES_WALL_CLOCK_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "converter/base/budget.h"
#include "converter/base/diagnostics.h"
#include "converter/base/pipeline.h"
#include "converter/model/emitter.h"
#include "converter/model/trace_tables.h"
#include "converter/stages/forwarding_emitter.h"
#include "converter/stages/lock_tracepoints.h"
#include "converter/stages/marked_stacks.h"
#include "converter/stages/sample_filter.h"
#include "converter/stages/thread_times.h"
#include "converter/stages/time_sums.h"

namespace perf2x {

// Options of the stage.
struct WallClockOptions {
  // If set, the threads that ended a wait (ThreadTime::wakers) are shown as
  // frames of the wait's stack.
  bool wakers = false;
  // If set, the format shows samples at their times. The samples of other
  // recorded events are then forwarded, not dropped. The event "wall" and
  // unknown time are omitted.
  bool has_time_line = false;
  // Selects what reaches the stage; null: all. Must outlive the stage.
  const SampleFilter* filter = nullptr;
  // Decides which threads sum stretches up; null: the caller's. Must outlive
  // the stage.
  Pipeline* pipeline = nullptr;
};

// Emits the times that threads ran and waited (docs/wall-clock.md). These are
// samples of the derived events "wall", "cpu" and "offcpu", with periods in ns.
// The periods of "wall" sum up to the threads' lives (see ThreadTimes).
// Replaces the samples of one recorded event, which show where threads run, and
// the samples of `perf record --off-cpu`. Drops samples of other recorded
// events, unless the format has a time line. Forwards all other events.
//
// The replaced event is a clock if the recording has one, else a sampled event.
// If there are several, it is the first in the user's list of events (--event).
// Without a list, it is the first in the recording.
//
// Lives end with the filter's time, if there is one. What a thread does between
// the last event in one of its spans and the first in another is unknown.
//
// Ignores the times of names and mappings: recorders write those of older
// threads with times long before the recording.
//
// If the other emitter requests only sums, it gets one sample in Finish for all
// stretches that differ only in their times, except for sampled runs. Once the
// budget is exhausted, no sums are added: each stretch that belongs to none is
// emitted at once.
//
// Charges its memory and the words of the stacks that it makes to the budget.
// Once the budget is exhausted, waits have no callers, and Finish counts these
// waits in the diagnostics. Finish also adds notes on data that the recording
// lacks. Errors are the other emitter's. Not thread-safe.
class WallClock final : public ForwardingEmitter, private ThreadTimeSink {
 public:
  // References must outlive the stage; `diagnostics` may be null. The tables
  // must have a frame source when Begin is called. Begin replaces it until the
  // stage is destroyed. Both must outlive the last request for frames.
  WallClock(TraceTables& tables, Emitter& to, const WallClockOptions& options,
            Budget& budget, Diagnostics* diagnostics);

  // Returns the other emitter's requirements, with switches and each sample,
  // without branches and accesses. Forwards switches only if the other emitter
  // requests them.
  EmitterRequirements requirements() const override;
  // Appends the derived events to the tables, then calls the other emitter.
  absl::Status Begin(const TraceInfo& info) override;
  // Replaces, drops or forwards the sample, as the class says.
  absl::Status OnSample(const Sample& sample) override;
  // Emits the times that have not ended yet, then calls the other emitter.
  absl::Status Finish(const TraceSummary& summary) override;
  // Prefetches the thread's data here.
  void ExpectThread(ThreadId id) override {
    times_.ExpectThread(id);
    sums_.ExpectThread(id);
  }
  absl::Status OnFork(const Fork& fork) override;
  absl::Status OnExec(const Exec& exec) override;
  absl::Status OnExit(const Exit& exit) override;
  absl::Status OnSwitch(const Switch& event) override;
  absl::Status OnWakeup(const Wakeup& wakeup) override;
  absl::Status OnLost(const Lost& lost) override;

 private:
  // What an event's samples are to this stage.
  struct Use {
    enum : uint8_t { kOther, kRuns, kOffCpu, kLock } kind = kOther;
    LockTracepoint lock;  // of kLock
  };

  absl::Status OnThreadTime(const ThreadTime& time) override;
  const Use& UseOf(EventId event) {
    return event < uses_.size() ? uses_[event] : FindUses(event);
  }
  const Use& FindUses(EventId event);
  void ChooseDriver();
  uint64_t IntervalOf(const Sample& sample) const;
  MarkedStacks::MarksId MarksOf(const ThreadTime& time);
  MarkedStacks::MarksId MarksWithWakers(const ThreadTime& time, bool is_older);
  TagsId TagsOf(const ThreadTime& time);
  uint32_t TagsOfWaker(ThreadId waker);
  absl::Status EmitStretch(const ThreadTime& time, TagsId tags, StackId stack);
  absl::Status EmitSums();
  absl::Status Emit(Sample& sample, TimeState state);
  EventId AddEvent(const char* name, EventKind kind);
  void EnterSpanOf(std::optional<uint64_t> time);
  std::optional<uint64_t> EndOf(const TraceSummary& summary) const;
  // Accounts for memory now and then: what is kept grows with threads and
  // distinct stacks.
  void Account() {
    constexpr uint64_t kOften = 4096;
    if (++calls_ % kOften == 0) ChargeMemory();
  }
  void ChargeMemory();
  void ReportUnknownTimes() const;

  TraceTables& tables_;
  const WallClockOptions options_;
  const EmitterRequirements to_requirements_;  // the other emitter's
  Budget& budget_;
  Budget::Share memory_;
  Diagnostics* const diagnostics_;
  std::optional<MarkedStacks> stacks_;  // from Begin on
  ThreadTimes times_;
  TimeSums sums_;  // empty unless to_requirements_.only_sums
  EventId wall_ = kNoId, cpu_ = kNoId, offcpu_ = kNoId;
  EventId driver_ = kNoId;  // the event that tells where threads run
  size_t searched_ = 0;     // number of events when it was searched last
  std::vector<Use> uses_;   // by event, up to the last one seen
  // Marks by state; the second index is 1 for an older stack.
  std::array<std::array<MarkedStacks::MarksId, 2>, kTimeStates> marks_;
  std::array<StringId, kTimeStates> state_names_;
  // The tags of stretches by the waker's name; the first are those without a
  // waker. An id of 0: not interned yet.
  std::vector<std::array<TagsId, kTimeStates>> tags_;
  // Indices in tags_. Many wakers have few names, which stay in the processor's
  // cache.
  std::vector<uint32_t> tags_of_waker_;  // by thread; 0: not known yet
  absl::flat_hash_map<StringId, uint32_t> tags_of_name_;
  std::optional<size_t> span_;  // of the filter, with the latest event
  uint64_t calls_ = 0;          // of Account
  // Samples that do not tell for how long they stand, with and without a time.
  uint64_t samples_without_interval_ = 0, samples_without_time_ = 0;
  uint64_t samples_without_thread_ = 0;
};

}  // namespace perf2x

#endif  // PERF2X_STAGES_WALL_CLOCK_H_
