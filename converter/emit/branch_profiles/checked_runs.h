// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_BRANCH_PROFILES_CHECKED_RUNS_H_
#define PERF2X_EMIT_BRANCH_PROFILES_CHECKED_RUNS_H_

#include <cstdint>
#include <vector>

#include "converter/base/diagnostics.h"
#include "converter/emit/branch_profiles/branch_profile.h"

namespace perf2x {

// The branches and ranges of a profile that its code allows. A range is a run,
// without the branch before it.
struct CodeCounts {
  // A branch from `from` to `to`. Or a range: from the instruction at `from` to
  // the instruction at `to`, inclusive.
  struct Count {
    uint64_t from = 0, to = 0, count = 0;
  };
  std::vector<Count> ranges;  // ascending by from and to; distinct
  // Distinct. Branches from BranchProfile::kElsewhere come first, then all
  // others, ascending by from and to.
  std::vector<Count> branches;
};

// Returns the counts of `profile` that pass the checks of llvm-profgen 19
// (computeCounterFromLBR() of PerfReader.cpp). A branch counts if an
// instruction starts at its target. If no instruction starts at its source, the
// source becomes kElsewhere. A run counts if instructions start at both ends,
// the start is not after the end, and no call, return or jump comes before the
// end. If the code was not found or cannot be decoded, only checks the order of
// the ends.
//
// If the recording has no branches, each sampled instruction is a range. Adds
// notes on dropped counts to `diagnostics`, which may be null.
CodeCounts CheckedCounts(const BranchProfile& profile,
                         Diagnostics* diagnostics);

}  // namespace perf2x

#endif  // PERF2X_EMIT_BRANCH_PROFILES_CHECKED_RUNS_H_
