// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_FOLDED_LINES_H_
#define PERF2X_EMIT_FOLDED_LINES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "converter/base/budget.h"
#include "converter/base/output.h"
#include "converter/base/worker_pool.h"
#include "converter/emit/call_path_names.h"
#include "converter/emit/skip_counter.h"
#include "converter/emit/stack_tree.h"
#include "converter/emit/used_stacks.h"
#include "converter/model/trace_tables.h"

namespace perf2x {

// Writes folded stacks, one per line: "thread;outermost;…;innermost count".
// Samples with the same thread name and function names share a line.
// CallPathNames escapes the names. Charges memory and work to the budget. Once
// three quarters of what is left are used for names, or all for lines, skips
// further stacks and lines, and counts them in the diagnostics. Not
// thread-safe.
class FoldedLines {
 public:
  // UsedStacks::Finish must have been called. `stacks` is used only in this
  // call; other arguments must outlive this. `diagnostics` may be null.
  FoldedLines(TraceTables& tables, UsedStacks& stacks, Budget& budget,
              Diagnostics* diagnostics);

  // Adds `count` to a line. `thread` is the thread's name, `leaf` the stack's
  // node in the tree; it must not be kNoId. Counts saturate.
  void Add(StringId thread, StackTree::NodeId leaf, uint64_t count);
  // Writes the lines, ordered by the bytes before the count. If a line's
  // function names take more than 4 MiB, omits outermost names and counts the
  // line in the diagnostics. Returns the errors of `out`; does not close it. To
  // be called once, last.
  absl::Status Write(WorkerPool& workers, Output& out);

 private:
  using NodeId = uint32_t;
  // A name on a path; paths that begin with the same names share these nodes.
  struct Node {
    NodeId parent = kNoId;  // the caller
    StringId name = 0;
    uint64_t size = 0;          // of the path's text down to this name
    NodeId last_child = kNoId;  // that was looked up
  };
  // What a line is made of, and its count.
  struct Entry {
    NodeId leaf;
    StringId thread;
    uint64_t count;
  };
  struct Counted {
    absl::string_view text;
    uint64_t count;
  };
  // Lines, ordered by their text.
  struct Block {
    std::string text;
    std::vector<Counted> lines;
  };

  NodeId Child(NodeId parent, StringId name);
  // Returns the size of a path's text in a line.
  uint64_t SizeOf(NodeId leaf) const;
  uint64_t SizeOf(const Entry& entry) const {
    return names_[entry.thread].size() + 1 + SizeOf(entry.leaf);
  }
  // Sums entries of the same line; the text of others may still be equal.
  void SumEntries();
  // Charges the budget for the lines, and drops those from where it is
  // exhausted.
  void Charge();
  void MakeBlock(absl::Span<const Entry> entries, Block* block) const;
  // Writes the text of an entry to `to`, which has SizeOf(entry) bytes.
  void PutText(const Entry& entry, char* to) const;
  static absl::Status Merge(absl::Span<const Block> blocks, Output& out);

  TraceTables& tables_;
  Budget& budget_;
  Diagnostics* const diagnostics_;
  Budget::Share memory_;
  SkipCounter skip_counter_;
  std::vector<Node> nodes_;
  NodeId last_root_ = kNoId;  // that was looked up
  absl::flat_hash_map<std::pair<NodeId, StringId>, NodeId> children_;
  std::vector<NodeId> node_of_;  // by node of the tree; kNoId: left out
  CallPathNames names_;
  std::vector<Entry> entries_;
  uint64_t cut_ = 0;  // lines without their outermost names
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_FOLDED_LINES_H_
