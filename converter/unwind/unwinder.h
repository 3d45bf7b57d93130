#ifndef PERF2X_UNWIND_UNWINDER_H_
#define PERF2X_UNWIND_UNWINDER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/strings/string_view.h"
#include "converter/unwind/frame_rule.h"
#include "converter/unwind/machine.h"
#include "converter/unwind/process_memory.h"
#include "converter/unwind/unwind_info_source.h"

namespace perf2x {

// Why an unwind went no further.
enum class UnwindStop : uint8_t {
  kComplete,    // reached the outermost frame
  kStackEnd,    // the copy of the stack ended: truncated
  kNoCfi,       // code without call frame information
  kNoModule,    // the caller's code has no file, or it was not found
  kBadAddress,  // a register or memory that is needed is not known, or an
                // address is not code
  kLoop,        // no progress
  kLimit,       // too many frames
  kUnknownMachine,
};
inline constexpr int kUnwindStops = 8;
// PERF_CONTEXT_USER: the next entry of a callchain is an instruction in user
// space, those behind it are return addresses (uapi/linux/perf_event.h).
inline constexpr uint64_t kUserContext = static_cast<uint64_t>(-512);
// "end of stack copy", …
absl::string_view NameOf(UnwindStop stop);

// Turns registers and a copy of the stack into return addresses. One thread at
// a time. What it learned of a file is kept, so that a frame costs a look-up
// and a few reads.
class Unwinder {
 public:
  // Both must outlive the unwinder.
  Unwinder(const Machine& machine, UnwindInfoSource* source);

  // Appends to `*ips`, leaf first, as the kernel would have recorded it:
  // kUserContext, the program counter, then return addresses, at most
  // `max_frames` in all. An instruction that a signal interrupted is no return
  // address, nor is what its handler returns to; another kUserContext stands
  // before each. Appends nothing when the
  // program counter is not known or nothing is mapped there.
  UnwindStop Unwind(const Registers& registers, const UserStackDump& stack,
                    MapLookup maps, size_t max_frames,
                    std::vector<uint64_t>* ips);
  // The caller of the function at `pc`, an instruction that was interrupted,
  // where the link register still has its address: call frame information says
  // so or, in code of a file that has none there (linkage tables, assembly),
  // nothing says otherwise and the register is no older than `next`, the caller
  // that the function's frame pointer leads to. Nullopt: not known.
  std::optional<uint64_t> LeafCaller(const Registers& registers, uint64_t pc,
                                     uint64_t next, MapLookup maps);

 private:
  struct State {
    Registers registers;
    uint64_t pc = 0;
    uint64_t cfa = 0;
    bool exact = true;  // pc is an instruction of its own, not behind a call
    bool innermost = true;
    // Where pc lies, or the call before it; and whether the frame before, of
    // which it is the caller, lies in the [vdso].
    CodeLocation location;
    bool from_vdso = false;
  };
  struct CachedRule {
    DsoId file = kNoId;
    RuleId rule = kNoRule;
    uint64_t offset = 0;
  };

  // These go from a frame to its caller: nullopt when they did, else why not.
  std::optional<UnwindStop> Step(ProcessMemory* memory, MapLookup maps,
                                 State* state);
  std::optional<UnwindStop> StepByRule(const FrameRule& rule,
                                       ProcessMemory* memory, MapLookup maps,
                                       State* state);
  std::optional<UnwindStop> StepBySaved(const FrameRule& rule,
                                        const uint8_t* at_cfa, uint64_t cfa,
                                        MapLookup maps, State* state);
  // Where no table says how.
  std::optional<UnwindStop> StepWithoutRule(ProcessMemory* memory,
                                            MapLookup maps, State* state);
  bool StepBySignal(ProcessMemory* memory, MapLookup maps, State* state);
  bool LinkLeavesFile(const State& state, MapLookup maps) const;
  bool LeadsAstray(State caller, ProcessMemory* memory, MapLookup maps);
  bool StepByLink(ProcessMemory* memory, MapLookup maps, State* state);
  bool StepByFramePointer(ProcessMemory* memory, MapLookup maps, State* state);
  bool MayReturnTo(uint64_t address, ProcessMemory* memory,
                   MapLookup maps) const;
  uint64_t CallerSp(uint64_t sp, uint64_t link, ProcessMemory* memory) const;
  std::optional<UnwindStop> MoveTo(uint64_t pc, uint64_t cfa, MapLookup maps,
                                   State* state) const;
  // The caller's value of a register; false: cannot be known.
  bool ValueOf(const RegisterRule& rule, uint64_t cfa,
               const Registers& registers, ProcessMemory* memory,
               uint64_t* value) const;
  bool ValueOfExpression(const RegisterRule& rule, uint64_t cfa,
                         const Registers& registers, ProcessMemory* memory,
                         uint64_t* value) const;
  RuleId FindRule(const CodeLocation& location);
  // Whether the file there is at hand.
  bool IsPresent(const CodeLocation& location) {
    return location.file != kNoId && code_.Get(location.file).present();
  }

  const Machine& machine_;
  RuleTable rules_;
  CodeTable code_;
  std::vector<CachedRule> cache_;  // direct-mapped
};

}  // namespace perf2x

#endif  // PERF2X_UNWIND_UNWINDER_H_
