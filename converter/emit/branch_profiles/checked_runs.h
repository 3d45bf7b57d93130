// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_BRANCH_PROFILES_CHECKED_RUNS_H_
#define PERF2X_EMIT_BRANCH_PROFILES_CHECKED_RUNS_H_

#include <cstdint>
#include <vector>

#include "converter/base/diagnostics.h"
#include "converter/emit/branch_profiles/branch_profile.h"

namespace perf2x {

// The branches and ranges of a profile that its code allows.
struct CodeCounts {
  // Addresses; kElsewhere as in BranchProfile.
  struct Count {
    uint64_t from = 0, to = 0, count = 0;
  };
  std::vector<Count> ranges;    // ascending by from and to
  std::vector<Count> branches;  // ascending; `from` may be elsewhere (first)
};

// Checks as llvm-profgen 19 does (computeCounterFromLBR() of PerfReader.cpp):
// branches count if an instruction starts at their target; ranges if
// instructions start at both ends, the start is not after the end, and no call,
// return or jump comes before the end. Code that cannot be decoded is not
// checked. Reports what is dropped to `diagnostics`, which may be null. If the
// recording has no branches, each sampled instruction is a range.
CodeCounts CheckedCounts(const BranchProfile& profile,
                         Diagnostics* diagnostics);

}  // namespace perf2x

#endif  // PERF2X_EMIT_BRANCH_PROFILES_CHECKED_RUNS_H_
