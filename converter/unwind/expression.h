#ifndef PERF2X_UNWIND_EXPRESSION_H_
#define PERF2X_UNWIND_EXPRESSION_H_

#include <cstdint>
#include <optional>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "converter/unwind/machine.h"

namespace perf2x {

// Reads an unsigned integer of `size` (1, 2, 4 or 8) bytes from the sampled
// process' memory; false when it was not recorded.
using ReadMemory =
    absl::FunctionRef<bool(uint64_t address, int size, uint64_t* value)>;

// The value of a DWARF expression (DWARF 5, section 2.5) as call frame
// information uses them, at most some hundred operations; nullopt when it is
// malformed, takes longer, or needs a register or memory that is not known.
// `cfa` is on the stack at first, where given, and what DW_OP_call_frame_cfa
// gives.
std::optional<uint64_t> Evaluate(absl::Span<const uint8_t> expression,
                                 const Machine& machine,
                                 const Registers& registers, ReadMemory read,
                                 std::optional<uint64_t> cfa);

}  // namespace perf2x

#endif  // PERF2X_UNWIND_EXPRESSION_H_
