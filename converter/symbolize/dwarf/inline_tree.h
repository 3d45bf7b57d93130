// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_DWARF_INLINE_TREE_H_
#define PERF2X_SYMBOLIZE_DWARF_INLINE_TREE_H_

#include <cstdint>
#include <vector>

#include "converter/symbolize/dwarf/dwarf_unit.h"

namespace perf2x {

// The functions that were inlined into one function, by address. A node is one
// inlined call; node 0 is the function itself. Not thread-safe.
class InlineTree {
 public:
  struct Node {
    uint32_t parent = 0;  // the node into which it was inlined
    uint32_t depth = 0;   // 0 in node 0
    DwarfValue origin;    // reference to the inlined function; empty in node 0
    // Where the call is: an index in the unit's line table, and a line there.
    uint64_t call_file = 0;
    uint32_t call_line = 0;           // 0: not known
    uint32_t call_discriminator = 0;  // DW_AT_GNU_discriminator
  };

  // Reads the entry of the function at `offset` of the unit's section and the
  // entries nested in it. Damage ends the tree. The sections of `unit` must
  // outlive the tree.
  InlineTree(const DwarfUnit& unit, uint64_t offset);
  // Returns the innermost node whose code has `address`. Returns 0 if no
  // function is inlined there, and once the file's budget is exhausted.
  uint32_t Find(uint64_t address);
  // Returns a node. Requires an index that Find returned, or the parent of such
  // a node.
  const Node& node(uint32_t i) const { return nodes_[i]; }
  // Returns true if nodes or ranges were skipped: nested too deep, or more than
  // the budget allows.
  bool truncated() const { return truncated_; }
  // Returns the estimated memory use in bytes.
  uint64_t memory() const {
    return sizeof(*this) + 2 * (nodes_.capacity() * sizeof(Node) +
                                ranges_.capacity() * sizeof(Range));
  }

 private:
  struct Range {
    uint64_t low, high;
    uint32_t node;
  };
  // Adds the ranges of a node, up to `max_ranges` of all nodes.
  void AddRanges(const DwarfUnit& unit, const DwarfCode& code, uint32_t node,
                 size_t max_ranges);
  void Flatten();

  Budget& budget_;  // of the file
  std::vector<Node> nodes_;
  std::vector<Range> ranges_;  // in file order; parents before children
  bool truncated_ = false;
  int looked_up_ = 0;
  std::vector<Range> segments_;  // disjoint, ascending; made by Flatten
};

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_DWARF_INLINE_TREE_H_
