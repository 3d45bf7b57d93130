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
#include "converter/session/thread_tracker.h"
#include "converter/session/trace_sink.h"
#include "converter/session/work_meter.h"

namespace perf2x {

// Follows the calls of each thread in Intel PT traces. Reports them to the
// emitter, if it requires calls and ItraceOptions choose calls or returns, and
// makes callchains of them. Ignores threads that no record names. Errors are
// the emitter's. Not thread-safe.
//
// The times of a thread's calls and returns ascend: those that the trace has at
// one time are a ns apart. A function that begins with a jump, up to its third
// instruction, is where that leads, such as the function of a library behind
// its entry in a procedure linkage table. A jump to another file's code is the
// call of a function that returns in place of the one that jumps, as where a
// dynamic linker has found a function. Of a thread that exited, nothing is
// reported until another has its number.
class PtCalls {
 public:
  // All must outlive the object.
  struct Deps {
    ThreadTracker& threads;
    StackBuilder& stacks;
    TraceSink& sink;
    WorkMeter& work;
    Diagnostics& diagnostics;
    const ItraceOptions& options;
  };
  explicit PtCalls(const Deps& deps);

  // Where a step happened: the thread (-1: not known), the time (absent: not
  // known) and the trace's offset in the recording.
  struct Place {
    int32_t tid = -1;
    std::optional<uint64_t> time;
    uint64_t offset = 0;
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
  // The thread ended, which ends its calls for the emitter, too.
  absl::Status OnExit(int32_t tid);
  // A thread with this number began. It has no calls.
  absl::Status OnFork(int32_t tid);
  // Reports the last call of each thread, which waits for the steps after it,
  // and counts the calls that were too deep to be followed. To be called once,
  // last.
  absl::Status End();

  // Returns the callchain of an instruction at `ip`: that address, and where
  // the calls return to, with context markers between them as the kernel
  // records it, but none before the first. It has at most
  // ItraceOptions::callchain addresses, and none if that is 0 or nothing is
  // known of the thread. Valid until the next call.
  const std::vector<uint64_t>& CallchainOf(int32_t tid, uint64_t ip);

  // Returns the number of calls that were reported.
  uint64_t reported() const { return reported_; }
  // Returns the approximate memory, in bytes.
  uint64_t memory() const { return memory_; }

 private:
  struct State {
    CallStack stack;
    ThreadState* thread = nullptr;  // null: not seen
    // Those of the calls: the thread's, when CheckProgram compared them last.
    ProcessState* process = nullptr;
    uint32_t program = 0;  // see ProcessState
    bool exited = false;   // nothing is reported any more
    // The last call, until it is known not to be a jump elsewhere.
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
  bool LeavesFile(const State& state, uint64_t from, uint64_t to);
  absl::Status CheckProgram(State& state, const Place& place);
  absl::Status Flush(State& state);
  absl::Status Report(State& state, const CallChange& change,
                      const Place& place);
  void Account(State& state);

  const Deps deps_;
  const bool reports_, makes_chains_;
  absl::flat_hash_map<int32_t, std::unique_ptr<State>> states_;  // by tid
  State* recent_ = nullptr;
  int32_t recent_tid_ = -1;
  std::vector<uint64_t> chain_;
  uint64_t memory_ = 0, reported_ = 0;
  uint64_t deeper_ = 0, deeper_offset_ = 0;  // see CallStack; the first one's
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_PT_CALLS_H_
