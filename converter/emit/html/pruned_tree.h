// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_HTML_PRUNED_TREE_H_
#define PERF2X_EMIT_HTML_PRUNED_TREE_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "converter/emit/html/call_tree.h"
#include "converter/emit/html/recording.h"

namespace perf2x {

// The sum of one event's samples that have the same leaf.
struct SelfSum {
  EventId event = 0;  // as in SampleLane::event
  uint32_t node = 0;  // a CallTree::NodeId; after Renumber, a row
  uint64_t samples = 0, period = 0;
};

// Returns the sums of a recording's entries, ordered by event, then node. Nodes
// without samples have no sum.
std::vector<SelfSum> SelfSumsOf(const HtmlRecording& recording);
// Replaces the node of each sum by `row_of[node]` (see PrunedTree::row_of).
// Adds up sums of the same event and row. Orders `*sums` by event, then row.
void Renumber(absl::Span<const uint32_t> row_of, std::vector<SelfSum>* sums);

// A call tree without the nodes that are too small to be drawn.
struct PrunedTree {
  // A node is large if it and its callees have at least 1/kParts of an event's
  // samples or period in a recording. One such event and recording suffice.
  // Large nodes stay. The small subtrees below a large node are folded into one
  // row. A single small node is not folded.
  static constexpr uint64_t kParts = 20'000;

  // A node of the pruned tree, or several folded ones.
  struct Row {
    uint32_t up = 0;        // the parent is `up` rows before; 0: the root
    uint32_t function = 0;  // an index in CallTree::functions()
    bool inlined = false;   // into the parent
    // If not 0, the row stands for this number of folded nodes. It has the sum
    // of their samples, and no function.
    uint32_t folded = 0;
  };
  // In preorder, the root first. Of siblings, the one with most samples (of all
  // events, callees included) comes first and the folded row last.
  std::vector<Row> rows;
  std::vector<uint32_t> row_of;  // by CallTree::NodeId, folded ones included
  uint64_t folded = 0;           // number of folded nodes, in all rows
};

// Returns the pruned tree. `sums` points to the result of SelfSumsOf for each
// recording; no pointer is null.
PrunedTree PruneTree(const CallTree& tree,
                     absl::Span<const std::vector<SelfSum>* const> sums);

}  // namespace perf2x

#endif  // PERF2X_EMIT_HTML_PRUNED_TREE_H_
