// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/branch_profiles/disjoint_ranges.h"

#include <cstdint>
#include <map>

#include "converter/base/saturating_add.h"

namespace perf2x {

// Walks over the starts and ends of ranges in order of address.
std::vector<CodeCounts::Count> DisjointRanges(
    absl::Span<const CodeCounts::Count> ranges) {
  struct Edge {
    uint64_t starting = 0, ending = 0;  // counts
    uint64_t starts = 0, ends = 0;      // ranges
  };
  // A range covers [from, to + 1).
  std::map<uint64_t, Edge> edges;
  for (const CodeCounts::Count& range : ranges) {
    if (range.to < range.from || range.to == ~uint64_t{0}) continue;
    Edge& start = edges[range.from];
    start.starting = SaturatingAdd(start.starting, range.count);
    ++start.starts;
    Edge& end = edges[range.to + 1];
    end.ending = SaturatingAdd(end.ending, range.count);
    ++end.ends;
  }
  std::vector<CodeCounts::Count> disjoint;
  uint64_t count = 0, open = 0, from = 0;
  for (const auto& [at, edge] : edges) {
    if (open > 0) disjoint.push_back({from, at - 1, count});
    count = SaturatingAdd(count - std::min(count, edge.ending), edge.starting);
    open = open - edge.ends + edge.starts;
    from = at;
  }
  return disjoint;
}

}  // namespace perf2x
