// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_CHROME_CHROME_EMITTER_H_
#define PERF2X_EMIT_CHROME_CHROME_EMITTER_H_

#include <cstdint>
#include <memory>
#include <optional>

#include "converter/emit/chrome/chrome_counters.h"
#include "converter/emit/chrome/chrome_losses.h"
#include "converter/emit/chrome/chrome_samples.h"
#include "converter/emit/chrome/chrome_sched.h"
#include "converter/emit/chrome/chrome_stacks.h"
#include "converter/emit/chrome/chrome_timeline.h"
#include "converter/emit/chrome/chrome_trace.h"
#include "converter/emit/chrome/chrome_tracks.h"
#include "converter/model/emitter.h"

namespace perf2x {

// Writes Trace Event Format. Forwards each event of the recording to the parts
// that show it, which share one ChromeTrace.
class ChromeEmitter final : public Emitter {
 public:
  // Values of the format's options.
  struct Options {
    SampleForm samples = SampleForm::kSlices;
    // If set, times count from 0 of the recording's clock; else from the first
    // event.
    bool absolute = false;
  };

  // Writes to `output`, which Finish closes. The objects that `context` refers
  // to must outlive the emitter.
  ChromeEmitter(const EmitterContext& context, std::unique_ptr<Output> output,
                const Options& options);

  // Requests fields, counters, switches and calls.
  EmitterRequirements requirements() const override {
    return {.fields = true, .counters = true, .switches = true, .calls = true};
  }
  // Keeps `info`, and chooses the driving event (see ChromeSamples). Writes
  // nothing.
  absl::Status Begin(const TraceInfo& info) override;
  // Each shows one event and returns the output's errors. Events without a time
  // are not shown, except samples.
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
  // Writes all that is buffered and the facts about the recording. Closes the
  // output.
  absl::Status Finish(const TraceSummary& summary) override;

 private:
  // Charges the memory of sched_, losses_ and counters_ to the budget.
  void Account() {
    memory_.Set(sched_->memory() + losses_.memory() + counters_.memory());
  }
  void WriteOtherData(const TraceSummary& summary, JsonWriter& json) const;

  TraceTables& tables_;
  const std::unique_ptr<Output> output_;
  const Options options_;
  TraceInfo info_;
  ChromeTrace trace_;
  ChromeTracks tracks_;
  ChromeStacks stacks_;
  ChromeTimeline timeline_;
  ChromeCounters counters_;
  ChromeLosses losses_;
  Budget::Share memory_;  // see Account
  // Set by Begin. sched_ follows the threads' states, shown_sched_ writes them.
  std::optional<ChromeSched> shown_sched_;
  std::optional<SchedTimeline> sched_;
  std::optional<ChromeSamples> samples_;
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_CHROME_CHROME_EMITTER_H_
