// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_MODEL_BRANCH_BOUND_H_
#define PERF2X_MODEL_BRANCH_BOUND_H_

#include <cstdint>

#include "converter/model/emitter.h"

namespace perf2x {

// A value of Branch::source or Branch::target: the address is not known. No
// code can be at this address. Emitters must not count a branch that has it.
// The branch's other address still shows where a run of code without branches
// began or ended. Only branch stacks made from hardware traces and branch lists
// have such branches: at gaps, at exceptions, and between two stacks.
inline constexpr uint64_t kUnknownBranchEnd = 1;

// Returns true if the source or the target of `branch` is not known.
inline bool HasUnknownEnd(const Branch& branch) {
  return branch.source == kUnknownBranchEnd ||
         branch.target == kUnknownBranchEnd;
}

// Returns true if `branch` does not count, and only bounds a run.
inline bool IsOnlyBound(const Branch& branch) {
  return HasUnknownEnd(branch) || branch.is_repeated;
}

}  // namespace perf2x

#endif  // PERF2X_MODEL_BRANCH_BOUND_H_
