// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_MODEL_BRANCH_BOUND_H_
#define PERF2X_MODEL_BRANCH_BOUND_H_

#include <cstdint>

#include "converter/model/emitter.h"

namespace perf2x {

// In Branch::source or Branch::target, an end that is not known: no code can be
// at this address. Such a branch is none to count. It bounds the code that ran
// through up to its source, or from its target on. Branch stacks that are made
// of hardware traces have it where the trace has a gap, at exceptions, and
// where the stack before ends.
inline constexpr uint64_t kUnknownBranchEnd = 1;

// Returns true for such a branch.
inline bool IsBound(const Branch& branch) {
  return branch.source == kUnknownBranchEnd ||
         branch.target == kUnknownBranchEnd;
}

}  // namespace perf2x

#endif  // PERF2X_MODEL_BRANCH_BOUND_H_
