// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_PT_SAMPLES_H_
#define PERF2X_SESSION_PT_SAMPLES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "converter/base/diagnostics.h"
#include "converter/hwtrace/itrace_options.h"
#include "converter/hwtrace/pt_decoder.h"
#include "converter/model/model.h"
#include "converter/perf/header/attr_table.h"
#include "converter/perf/records/sample.h"
#include "converter/session/event_tracker.h"
#include "converter/session/pt_calls.h"
#include "converter/session/pt_queue.h"
#include "converter/session/sample_processor.h"
#include "converter/session/stack_builder.h"
#include "converter/session/thread_tracker.h"
#include "converter/session/trace_sink.h"
#include "converter/session/work_meter.h"

namespace perf2x {

// The state of one traced program that PtSamples keeps between steps.
struct PtPosition {
  static constexpr size_t kBranches = 32;  // of a branch stack
  // A taken branch.
  struct Jump {
    uint64_t from = 0, to = 0;
  };
  PtStep last;                // the last instruction; kNone: not known
  uint64_t instructions = 0;  // since the last sample of "instructions"
  std::optional<uint64_t> next_sample;  // earliest time of the next sample
  uint64_t ratio = 0;                   // of the core clock to the bus clock
  std::array<Jump, kBranches> jumps{};  // ring of the last taken branches
  uint64_t jump_count = 0;              // taken branches so far
};

// Emits samples for the steps of programs in Intel PT traces, and follows their
// calls (PtCalls), as ItraceOptions choose. Each event is added to the
// AttrTable with its first sample. Errors are the emitter's. Not thread-safe.
class PtSamples {
 public:
  // All must outlive the object.
  struct Deps {
    AttrTable& attrs;
    EventTracker& events;
    TraceTables& tables;
    AddressSpaces& spaces;
    ThreadTracker& threads;
    StackBuilder& stacks;
    SampleProcessor& samples;
    TraceSink& sink;
    WorkMeter& work;
    Diagnostics& diagnostics;
    ItraceOptions options;
  };
  explicit PtSamples(const Deps& deps)
      : deps_(deps),
        calls_({deps.tables, deps.spaces, deps.threads, deps.stacks, deps.sink,
                deps.work, deps.diagnostics, deps_.options}) {}

  // Emits the samples of `step`, the last step of `queue`. Reports an overflow
  // as AuxGap. Counts steps at which the flow is lost. `time` is the time of
  // the step before, and of the samples; absent: not known. Updates
  // `*position`, the state of the queue's program.
  absl::Status Apply(const PtQueue& queue, std::optional<uint64_t> time,
                     const PtStep& step, PtPosition* position);

  // See PtCalls.
  absl::Status OnExit(int32_t tid) { return calls_.OnExit(tid); }
  absl::Status OnFork(int32_t tid) { return calls_.OnFork(tid); }
  // Reports the calls that were held back. To be called once, after the last
  // step.
  absl::Status EndCalls() { return calls_.End(); }

  // Returns the number of calls that were reported.
  uint64_t calls() const { return calls_.reported(); }
  // Returns the approximate memory, in bytes.
  uint64_t memory() const { return calls_.memory(); }

 private:
  enum Event : uint8_t {
    kInstructions,
    kBranches,
    kTransactions,
    kPtWrite,
    kMwait,
    kPwre,
    kExstop,
    kPwrx,
    kCbr,
    kEvents
  };
  // What a sample has of its own.
  struct Sample {
    Event event = kInstructions;
    uint64_t ip = 0, addr = 0, period = 1;
  };
  absl::Status ApplyToCalls(const PtCalls::Place& place, const PtStep& step,
                            const PtPosition& position);
  absl::Status OnInstruction(const PtQueue& queue, std::optional<uint64_t> time,
                             const PtStep& step, PtPosition* position);
  absl::Status OnBranch(const PtQueue& queue, std::optional<uint64_t> time,
                        const PtStep& from, uint64_t to, PtPosition* position);
  absl::Status OnPower(const PtQueue& queue, std::optional<uint64_t> time,
                       const PtStep& step, PtPosition* position);
  absl::Status OnOverflow(const PtQueue& queue, std::optional<uint64_t> time);
  void CountLost(const PtQueue& queue, const PtStep& step);
  bool IsSampled(std::optional<uint64_t> time, PtPosition* position) const;
  absl::Status Emit(const PtQueue& queue, std::optional<uint64_t> time,
                    const Sample& sample, const PtPosition& position);
  void SetBranches(const PtPosition& position);
  void SetCallchain(int32_t tid, uint64_t ip);
  EventId EventOf(Event event);

  const Deps deps_;
  PtCalls calls_;
  std::array<EventId, kEvents> events_ = {kNoId, kNoId, kNoId, kNoId, kNoId,
                                          kNoId, kNoId, kNoId, kNoId};
  SampleRecord sample_;
  std::array<uint64_t, 3 * PtPosition::kBranches> branches_{};
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_PT_SAMPLES_H_
