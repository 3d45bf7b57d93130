// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_UNWIND_CFI_PROGRAM_H_
#define PERF2X_UNWIND_CFI_PROGRAM_H_

#include <cstdint>
#include <optional>

#include "converter/unwind/cfi_table.h"
#include "converter/unwind/frame_rule.h"
#include "converter/unwind/registers.h"

namespace perf2x {

// The rule for link-time addresses [start, end).
struct RuleRange {
  uint64_t start = 0, end = 0;
  RuleId rule = kNoRule;
};

// Executes the CFI instructions of a function's entry up to `address`, which
// must be in the function. Returns the rule at `address`, interned in `rules`.
// Returns nullopt if instructions are malformed or unknown, or if there is no
// rule for the CFA. Also returns nullopt if the register of the return address
// is not tracked. `order` is the byte order of the instructions. Charges no
// budget: the caller does.
std::optional<RuleRange> RunCfi(const FunctionEntry& function, uint64_t address,
                                const Machine& machine, ByteOrder order,
                                RuleTable* rules);

}  // namespace perf2x

#endif  // PERF2X_UNWIND_CFI_PROGRAM_H_
