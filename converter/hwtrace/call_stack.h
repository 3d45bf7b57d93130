// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_HWTRACE_CALL_STACK_H_
#define PERF2X_HWTRACE_CALL_STACK_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "converter/hwtrace/pt_decoder.h"

namespace perf2x {

// A change of a CallStack. First, all calls except the outermost `depth` ended.
// Then, if `begins`, a function was called; `function` is an address in it,
// mostly its first.
struct CallChange {
  uint32_t depth = 0;
  bool begins = false;
  uint64_t function = 0;
  friend bool operator==(const CallChange&, const CallChange&) = default;
};

// The calls of one thread that have not returned, tracked through the branches
// of a trace. Earlier calls are not known at the begin of the trace and after a
// gap. The function that runs there is then the outermost one, until it
// returns. Not thread-safe.
//
// A return ends the call that it returns from. If a return leads to no caller,
// as after a switch of stacks, all calls end. A call to the next instruction is
// ignored: it only loads an address. A retpoline counts as a jump: it calls
// over a few bytes, then returns elsewhere. An entry to the kernel counts as a
// call until the far return. A signal handler counts as a call until the return
// to the interrupted address. If the kernel is not traced, a system call is
// part of its caller.
class CallStack {
 public:
  // The most calls that are tracked. Deeper calls are not reported; see
  // TakeDeeper.
  static constexpr size_t kMaxDepth = 4096;
  struct Frame {
    enum class Kind : uint8_t {
      kBase,   // ran when the trace began: its caller is not known
      kCall,   // was called
      kEntry,  // of the kernel, or of a signal handler
    };
    Kind kind = Kind::kBase;
    uint64_t function = 0;
    uint64_t resume = 0;  // where it returns to; 0: not known
  };
  using Change = std::optional<CallChange>;  // nullopt: no change

  // The calls, outermost first.
  const std::vector<Frame>& frames() const { return frames_; }

  // To be called for each instruction, before the other functions.
  Change OnInstruction(uint64_t ip) {
    return frames_.empty() ? Push({Frame::Kind::kBase, ip, 0}, 0)
                           : std::nullopt;
  }
  // The branch `from` was taken, to the address `to`.
  Change OnBranch(const PtStep& from, uint64_t to);
  // The flow went to `to` before it executed the instruction at `from`.
  Change OnInterrupt(uint64_t from, uint64_t to);
  // Tracing ended before the instruction at `at`. If `at` is 0, it ended after
  // the step `last`; PtStep::Kind::kNone: not known.
  Change OnDisabled(const PtStep& last, uint64_t at);
  // Tracing began at `ip`.
  Change OnEnabled(uint64_t ip);
  // The code executed since the last step is not known. Ends all calls.
  Change OnGap();
  // The innermost function jumped to the function `to`, which returns in its
  // place.
  Change OnTailCall(uint64_t to);
  // Replaces the innermost function, which was only a jump to `function`.
  void Rename(uint64_t function) {
    if (hidden_ == 0 && !frames_.empty()) frames_.back().function = function;
  }

  // Returns the work (Budget::kWork) of searching calls, since the last
  // TakeWork. The caller charges it.
  uint64_t TakeWork();
  // Returns the number of calls since the last call that were too deep to be
  // followed.
  uint64_t TakeDeeper() { return std::exchange(deeper_, 0); }
  // Returns the approximate memory, in bytes.
  uint64_t memory() const { return frames_.capacity() * sizeof(Frame); }

 private:
  // Where the thread was when tracing ended.
  struct Away {
    uint64_t resume = 0;     // where it goes on, if it does; 0: not known
    bool in_kernel = false;  // for a system call, an interrupt or a fault
  };
  static constexpr size_t kNone = ~size_t{0};

  Change OnReturn(uint64_t to);
  Change OnFarReturn(uint64_t to);
  Change Push(const Frame& frame, size_t depth);
  Change EndTo(size_t depth);
  size_t Find(uint64_t resume);
  size_t FindEntry() const;

  std::vector<Frame> frames_;
  uint64_t hidden_ = 0;  // calls beyond kMaxDepth
  uint64_t deeper_ = 0;  // since TakeDeeper
  std::optional<Away> away_;
  uint64_t looked_at_ = 0;  // frames, since TakeWork
};

}  // namespace perf2x

#endif  // PERF2X_HWTRACE_CALL_STACK_H_
