// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_BRANCH_PROFILES_DISJOINT_RANGES_H_
#define PERF2X_EMIT_BRANCH_PROFILES_DISJOINT_RANGES_H_

#include <vector>

#include "absl/types/span.h"
#include "converter/emit/branch_profiles/checked_runs.h"

namespace perf2x {

// Splits overlapping ranges, whose `to` is inclusive, into ascending disjoint
// ones. Each has the sum of the counts of the ranges that cover it. The sum may
// be 0. Code that no range covers is in no result. Ignores ranges that end
// before they begin.
std::vector<CodeCounts::Count> DisjointRanges(
    absl::Span<const CodeCounts::Count> ranges);

}  // namespace perf2x

#endif  // PERF2X_EMIT_BRANCH_PROFILES_DISJOINT_RANGES_H_
