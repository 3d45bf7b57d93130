// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_PERFETTO_PERFETTO_EMITTER_H_
#define PERF2X_EMIT_PERFETTO_PERFETTO_EMITTER_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "converter/emit/perfetto/perfetto_calls.h"
#include "converter/emit/perfetto/perfetto_counters.h"
#include "converter/emit/perfetto/perfetto_ftrace.h"
#include "converter/emit/perfetto/perfetto_losses.h"
#include "converter/emit/perfetto/perfetto_packets.h"
#include "converter/emit/perfetto/perfetto_samples.h"
#include "converter/emit/perfetto/perfetto_sched.h"
#include "converter/emit/perfetto/perfetto_threads.h"
#include "converter/emit/perfetto/perfetto_track_events.h"
#include "converter/emit/sample_intervals.h"
#include "converter/emit/sched_timeline.h"
#include "converter/emit/syscall_pairs.h"
#include "converter/model/emitter.h"

namespace perf2x {

// Writes a Perfetto protobuf trace. Forwards each event to the part that writes
// it; all parts share one PerfettoPackets. Once the budget is exhausted, skips
// callstacks (see PerfettoStacks), but never events.
class PerfettoEmitter final : public Emitter {
 public:
  // The objects that `context` refers to must outlive the emitter. Finish
  // closes `output`.
  PerfettoEmitter(const EmitterContext& context,
                  std::unique_ptr<Output> output);

  // Requests fields, counters, switches and calls.
  EmitterRequirements requirements() const override {
    return {.fields = true, .counters = true, .switches = true, .calls = true};
  }
  // Sets the clock of the trace, and writes the facts about the machine.
  absl::Status Begin(const TraceInfo& info) override;
  // Each writes one event and returns the output's errors. Only samples are
  // shown without a time.
  absl::Status OnSample(const Sample& sample) override;
  absl::Status OnThread(ThreadId thread, std::optional<uint64_t> time) override;
  absl::Status OnFork(const Fork& fork) override;
  absl::Status OnExec(const Exec& exec) override;
  absl::Status OnExit(const Exit& exit) override;
  absl::Status OnSwitch(const Switch& event) override;
  absl::Status OnWakeup(const Wakeup& event) override;
  absl::Status OnCall(const Call& call) override;
  absl::Status OnCounter(const Counter& counter) override;
  absl::Status OnLost(const Lost& lost) override;
  absl::Status OnAuxGap(const AuxGap& gap) override;
  absl::Status OnThrottle(const Throttle& throttle) override;
  // Writes all that is buffered, and closes the output.
  absl::Status Finish(const TraceSummary& summary) override;

 private:
  // State of one event.
  struct EventState {
    TracepointUse use;
    // Set if OnSwitch or OnWakeup write the tracepoint.
    bool is_sched = false;
    SampleIntervals intervals;
  };

  EventState& StateOf(EventId event);
  // Returns the time at which to show a sample.
  uint64_t TimeOf(const Sample& sample, TrackId track, EventState& state);
  void NoteCgroup(const Sample& sample, TrackId track, uint64_t time);
  void ShowTracepoint(const Sample& sample, TrackId track, uint64_t time);
  void Measurements(const Sample& sample, TrackId track, uint64_t time);
  void NoteTime(uint64_t time);
  // Charges the memory of sched_ and counters_ to the budget.
  void Account() { memory_.Set(sched_->memory() + counters_.memory()); }
  void WriteSystem();
  void WriteAttributes(const TraceSummary& summary);

  TraceTables& tables_;
  const std::unique_ptr<Output> output_;
  TraceInfo info_;
  PerfettoPackets packets_;
  PerfettoTrackEvents events_;
  PerfettoThreads threads_;
  PerfettoSamples samples_;
  PerfettoFtrace ftrace_;
  PerfettoCalls calls_;
  PerfettoCounters counters_;
  PerfettoLosses losses_;
  Budget::Share memory_;           // see Account
  std::optional<uint64_t> start_;  // time of the first event
  uint64_t untimed_ = 0;           // time of the next sample without a time
  std::vector<Field> args_;        // of the instant that is being made
  // By EventId; a state is created for the event's first sample. Elements do
  // not move.
  std::deque<std::optional<EventState>> states_;
  // Set by Begin.
  std::optional<PerfettoSched> shown_sched_;
  std::optional<SchedTimeline> sched_;
  std::optional<SyscallPairs> syscalls_;
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_PERFETTO_PERFETTO_EMITTER_H_
