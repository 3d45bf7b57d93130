// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_UNWIND_EXPRESSION_H_
#define PERF2X_UNWIND_EXPRESSION_H_

#include <cstdint>
#include <optional>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "converter/unwind/registers.h"

namespace perf2x {

// Reads an unsigned integer of `size` (1, 2, 4 or 8) bytes from the memory of
// the sampled process. Returns false if it was not recorded.
using ReadMemory =
    absl::FunctionRef<bool(uint64_t address, int size, uint64_t* value)>;

// Evaluates a DWARF expression of call frame information (DWARF 5, section
// 2.5). Returns nullopt if the expression is malformed, takes too many
// operations, or needs an unknown register or memory. Executes at most 500
// operations and at most `*operations_left`; subtracts their number from
// `*operations_left`. `cfa`, if given, is on the stack at first, and is the
// value of DW_OP_call_frame_cfa. The result fits in the machine's address size.
std::optional<uint64_t> Evaluate(absl::Span<const uint8_t> expression,
                                 const Machine& machine,
                                 const Registers& registers, ReadMemory read,
                                 std::optional<uint64_t> cfa,
                                 uint32_t* operations_left);

}  // namespace perf2x

#endif  // PERF2X_UNWIND_EXPRESSION_H_
