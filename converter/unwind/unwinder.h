// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_UNWIND_UNWINDER_H_
#define PERF2X_UNWIND_UNWINDER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/strings/string_view.h"
#include "converter/unwind/frame_rule.h"
#include "converter/unwind/process_memory.h"
#include "converter/unwind/registers.h"
#include "converter/unwind/rule_evaluator.h"
#include "converter/unwind/unwind_info_source.h"
#include "converter/unwind/unwind_tables.h"

namespace perf2x {

// The reason why Unwinder::Unwind ended.
enum class UnwindStop : uint8_t {
  // The last frame is the outermost: its return address is 0 or, by its CFI,
  // undefined.
  kComplete,
  // The last frame's caller cannot be computed without memory after the end of
  // the stack dump.
  kStackEnd,
  // The last frame's file was found, but has no CFI for its code, and no guess
  // of the caller worked.
  kNoCfi,
  // The last frame's code has neither CFI nor a file (not found, anonymous or
  // generated code), and no guess worked. Or the program counter of the sample
  // is not mapped.
  kNoFile,
  // Any other reason:
  // - A register or memory from which the last frame's caller is computed is
  //   not known.
  // - The caller's address is not mapped.
  // - An expression is malformed or takes too many operations.
  // - The program counter of the sample is not known.
  // - `max_frames` is 0.
  kBadAddress,
  // The caller would not be above the last frame on the stack: no progress.
  kLoop,
  // There are `max_frames` frames.
  kLimit,
  // Not returned by Unwind: UserStacks counts stacks that have no unwinder.
  kUnknownMachine,
};
inline constexpr int kUnwindStops = 8;
// PERF_CONTEXT_USER (uapi/linux/perf_event.h). The next entry of a callchain is
// an instruction in user space. The entries after that are return addresses.
inline constexpr uint64_t kUserContext = static_cast<uint64_t>(-512);
// Returns a description for messages: "end of the stack dump", ….
absl::string_view DescriptionOf(UnwindStop stop);

// Turns registers and a user stack dump into a callchain. Caches the rules of
// files: a frame costs a look-up and a few reads. Reading CFI is charged to the
// budgets of the files; the caller charges operations(). Results mean nothing
// if UnwindTables::missed is set afterwards. Not thread-safe.
class Unwinder {
 public:
  // `machine` and `tables` must outlive the unwinder.
  Unwinder(const Machine& machine, UnwindTables& tables);

  // Appends the callchain to `*ips` as the kernel records it, leaf first:
  // kUserContext, the program counter, then return addresses. Another
  // kUserContext precedes each later address that is not a return address: a
  // trampoline, or an instruction that a signal interrupted. Appends at most
  // `max_frames` addresses that are not kUserContext. Appends nothing if the
  // program counter is not known or not mapped, or if `max_frames` is 0.
  UnwindStop Unwind(const Registers& registers, const UserStackDump& stack,
                    MapLookup maps, size_t max_frames,
                    std::vector<uint64_t>* ips);
  // Returns the return address of the function that was interrupted at `pc`, if
  // the link register still has it. Otherwise returns nullopt. `next` is the
  // return address that the frame pointer leads to.
  // - If the code at `pc` has CFI, the CFI alone decides; `next` is ignored.
  // - Code without CFI (a linkage table, assembly) must be the vDSO's, or its
  //   file must be found. The register's address must differ from `next`, and
  //   the bytes before it may be a call (MayFollowCall).
  // Also returns nullopt if the machine has no link register, if its value is
  // not known, or if `pc` or the register's address is not mapped.
  std::optional<uint64_t> LeafCaller(const Registers& registers, uint64_t pc,
                                     uint64_t next, MapLookup maps);
  // Returns the number of DWARF operations of the last Unwind; 0 before the
  // first. A frame without a rule counts as 128. This measures work: long
  // expressions and guesses cost more than other frames.
  uint32_t operations() const {
    constexpr uint32_t kOfGuess = 128;
    return values_.operations() + kOfGuess * guesses_;
  }

 private:
  struct State {
    Registers registers;
    uint64_t pc = 0;
    uint64_t cfa = 0;
    bool exact = true;  // pc is not a return address
    bool innermost = true;
    // The mapping of pc, or of the call before it. from_vdso is set if the
    // callee is in the [vdso].
    CodeLocation location;
    bool from_vdso = false;
  };
  struct CachedRule {
    DsoId dso = kNoId;
    RuleId rule = kNoRule;
    uint64_t offset = 0;
  };

  // The Step functions replace a frame by its caller. On success, they return
  // nullopt or true. On failure, they return the reason why the unwind ends, or
  // false.
  std::optional<UnwindStop> Step(ProcessMemory* memory, MapLookup maps,
                                 State* state);
  std::optional<UnwindStop> StepByRule(const FrameRule& rule,
                                       ProcessMemory* memory, MapLookup maps,
                                       State* state);
  std::optional<UnwindStop> StepWithoutReturn(ProcessMemory* memory,
                                              MapLookup maps, State* state);
  std::optional<UnwindStop> StepBySaved(const FrameRule& rule,
                                        const uint8_t* at_cfa, uint64_t cfa,
                                        MapLookup maps, State* state);
  // Guesses: signal trampoline (not innermost), link register (innermost),
  // frame pointer.
  std::optional<UnwindStop> StepWithoutRule(ProcessMemory* memory,
                                            MapLookup maps, State* state);
  bool StepBySignal(ProcessMemory* memory, MapLookup maps, State* state);
  bool LinkLeavesFile(const State& state, MapLookup maps) const;
  bool LeadsAstray(State caller, ProcessMemory* memory, MapLookup maps);
  bool StepByLink(ProcessMemory* memory, MapLookup maps, State* state);
  bool StepByFramePointer(ProcessMemory* memory, MapLookup maps, State* state);
  bool MayReturnTo(uint64_t address, ProcessMemory* memory,
                   MapLookup maps) const;
  std::optional<UnwindStop> MoveTo(uint64_t pc, uint64_t cfa, MapLookup maps,
                                   State* state) const;
  RuleId FindRule(const CodeLocation& location);
  // Returns true if the file at `location` was found.
  bool IsPresent(const CodeLocation& location) {
    return location.dso != kNoId && tables_.IsPresent(location.dso);
  }

  const Machine& machine_;
  UnwindTables& tables_;
  RuleEvaluator values_;
  uint32_t guesses_ = 0;           // frames without a rule in the last Unwind
  std::vector<CachedRule> cache_;  // direct-mapped
};

}  // namespace perf2x

#endif  // PERF2X_UNWIND_UNWINDER_H_
