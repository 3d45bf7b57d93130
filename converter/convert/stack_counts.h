// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CONVERT_STACK_COUNTS_H_
#define PERF2X_CONVERT_STACK_COUNTS_H_

#include <cstdint>

#include "converter/session/stack_subset.h"

namespace perf2x {

// Statistics of stacks. Beyond 2048 distinct stacks, they are estimates (see
// StackSubset). A frame is mapped if its address is in a mapping.
struct StackCounts {
  uint64_t user = 0;             // samples with a mapped innermost user frame
  uint64_t without_callers = 0;  // of `user`: samples without a mapped caller
  // Of `user`: samples with a mapped caller, and more that are not mapped.
  uint64_t mostly_unmapped = 0;
  // Sum of the numbers of user frames in `user`, without innermost frames.
  uint64_t callers = 0;
  uint64_t unmapped_callers = 0;  // of `callers`: frames that are not mapped
  uint64_t kernel = 0;            // samples with kernel frames

  // Returns the number of samples whose user stack is not what called the
  // innermost frame, if frames lead to their callers: one frame, or addresses
  // most of which are no code.
  uint64_t broken() const { return without_callers + mostly_unmapped; }

  // Computes the counts. Requires StackSubset::Collect.
  static StackCounts FromStacks(const StackSubset& stacks);
};

}  // namespace perf2x

#endif  // PERF2X_CONVERT_STACK_COUNTS_H_
