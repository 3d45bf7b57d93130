// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_HTML_PRUNED_TREE_H_
#define PERF2X_EMIT_HTML_PRUNED_TREE_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "converter/emit/html/call_tree.h"
#include "converter/emit/html/recording.h"

namespace perf2x {

// The samples of one event that were taken in one node.
struct SelfSum {
  EventId event = 0;
  uint32_t node = 0;
  uint64_t samples = 0, period = 0;
};

// Returns the sums of a recording's entries, by event, then node.
std::vector<SelfSum> SelfSumsOf(const HtmlRecording& recording);
// Replaces each node by its row in `row_of`, and adds up sums of the same event
// and row.
void Renumber(absl::Span<const uint32_t> row_of, std::vector<SelfSum>* sums);

// A call tree without the nodes that are too small to be drawn.
struct PrunedTree {
  // A node stays if it has, with its callees, at least 1/kParts of the samples
  // or of the period of an event in a recording. Smaller nodes below one parent
  // are folded into one row; a single one stays.
  static constexpr uint64_t kParts = 20'000;

  struct Row {
    uint32_t up = 0;  // the parent is so many rows before
    uint32_t function = 0;
    bool inlined = false;
    // If not 0, the row stands for this number of small nodes: it has no
    // function, and their samples are its own.
    uint32_t folded = 0;
  };
  std::vector<Row> rows;         // in preorder; of siblings, the largest first
  std::vector<uint32_t> row_of;  // by node of the whole tree
  uint64_t folded = 0;           // in all rows
};

// `sums` are of the whole tree, by recording.
PrunedTree PruneTree(const CallTree& tree,
                     absl::Span<const std::vector<SelfSum>* const> sums);

}  // namespace perf2x

#endif  // PERF2X_EMIT_HTML_PRUNED_TREE_H_
