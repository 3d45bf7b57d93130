// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_PT_CALLS_H_
#define PERF2X_SESSION_PT_CALLS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "converter/base/diagnostics.h"
#include "converter/hwtrace/call_stack.h"
#include "converter/hwtrace/itrace_options.h"
#include "converter/hwtrace/pt_decoder.h"
#include "converter/session/stack_builder.h"
#include "converter/session/tail_calls.h"
#include "converter/session/thread_tracker.h"
#include "converter/session/trace_sink.h"
#include "converter/session/work_meter.h"

namespace perf2x {

// Follows the calls of each thread in Intel PT traces. Reports them to the
// emitter if it requires calls and ItraceOptions choose calls or returns. Makes
// callchains of them. Ignores threads that no record names. Errors are the
// emitter's. Not thread-safe.
//
// Times of a thread's calls and returns ascend: those at one time of the trace
// are reported 1 ns apart. If one of a function's first three instructions is a
// jump, the function is reported as the jump's target. So an entry of a
// procedure linkage table (PLT) is reported as the library's function. Any
// other jump to another function or file (TailCalls) is reported as the call of
// that function, in place of the one that jumps. After a thread's exit, nothing
// is reported until a new thread has its tid.
class PtCalls {
 public:
  // All must outlive the object.
  struct Deps {
    TraceTables& tables;
    AddressSpaces& spaces;
    ThreadTracker& threads;
    StackBuilder& stacks;
    TraceSink& sink;
    WorkMeter& work;
    Diagnostics& diagnostics;
    const ItraceOptions& options;
  };
  explicit PtCalls(const Deps& deps);

  // Where a step happened: the thread (-1: not known), the time in ns (absent:
  // not known), the offset of the trace in the recording, and the CPU (-1: not
  // known).
  struct Place {
    int32_t tid = -1;
    std::optional<uint64_t> time;
    uint64_t offset = 0;
    int32_t cpu = -1;
  };
  // Returns true if calls are followed at all. If not, the functions below need
  // not be called.
  bool follows() const { return reports_ || makes_chains_; }
  // Returns true if calls are reported.
  bool reports() const { return reports_; }

  // To be called for each step; see CallStack.
  absl::Status OnInstruction(const Place& place, uint64_t ip);
  absl::Status OnBranch(const Place& place, const PtStep& from, uint64_t to);
  absl::Status OnInterrupt(const Place& place, uint64_t from, uint64_t to);
  absl::Status OnDisabled(const Place& place, const PtStep& last, uint64_t at);
  absl::Status OnEnabled(const Place& place, uint64_t ip);
  absl::Status OnGap(const Place& place);
  // Ends the calls of a thread that exits, also for the emitter.
  absl::Status OnExit(int32_t tid);
  // Begins a thread with this tid, without calls.
  absl::Status OnFork(int32_t tid);
  // Reports the last call of each thread, which was held back, and counts the
  // calls that were too deep to be tracked. To be called once, last.
  absl::Status End();

  // Returns the callchain of an instruction at `ip`: `ip`, then the return
  // addresses of the calls. Context markers lie between them as in the kernel's
  // callchains, but none precedes `ip`. Has at most ItraceOptions::callchain
  // addresses. Empty if that is 0, or if nothing is known of the thread. Valid
  // until the next call.
  const std::vector<uint64_t>& CallchainOf(int32_t tid, uint64_t ip);

  // Returns the number of calls that were reported.
  uint64_t reported() const { return reported_; }
  // Returns the approximate memory, in bytes.
  uint64_t memory() const { return memory_ + tail_calls_.memory(); }

 private:
  struct State {
    CallStack stack;
    ThreadState* thread = nullptr;  // null: not seen
    // The process and program of the calls: those of the thread at the last
    // CheckProgram.
    ProcessState* process = nullptr;
    uint32_t program = 0;  // see ProcessState
    bool exited = false;   // nothing is reported any more
    // The last call, held back until the function is known not to begin with a
    // jump.
    CallChange waiting;    // unless it begins: none
    Place since;           // its place
    int instructions = 0;  // since then, or since the jump
    uint64_t last = 0;     // time of the last change
    uint64_t memory = 0;
  };
  State* StateOf(int32_t tid);
  void Restart(State& state);
  absl::Status Apply(State& state, const Place& place,
                     const CallStack::Change& change);
  absl::Status CheckProgram(State& state, const Place& place);
  absl::Status Flush(State& state);
  absl::Status Report(State& state, const CallChange& change,
                      const Place& place);
  void Account(State& state);

  const Deps deps_;
  const bool reports_, makes_chains_;
  TailCalls tail_calls_;
  absl::flat_hash_map<int32_t, std::unique_ptr<State>> states_;  // by tid
  State* recent_ = nullptr;
  int32_t recent_tid_ = -1;
  std::vector<uint64_t> chain_;
  uint64_t memory_ = 0, reported_ = 0;
  uint64_t deeper_ = 0, deeper_offset_ = 0;  // see CallStack; the first one's
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_PT_CALLS_H_
