// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_USED_STACKS_H_
#define PERF2X_EMIT_USED_STACKS_H_

#include <cstdint>
#include <vector>

#include "converter/base/pipeline.h"
#include "converter/emit/skip_counter.h"
#include "converter/emit/stack_functions.h"
#include "converter/emit/stack_tree.h"
#include "converter/model/trace_tables.h"

namespace perf2x {

// Collects the stacks that an output uses, and builds and symbolizes their tree
// at the end of the trace. Charges memory to the budget. Once three quarters of
// what is left of it are used, skips further stacks and counts them in the
// diagnostics: the rest is for writing those before. Not thread-safe.
class UsedStacks {
 public:
  // All arguments must outlive this; `diagnostics` may be null.
  UsedStacks(TraceTables& tables, Budget& budget, Diagnostics* diagnostics)
      : tables_(tables),
        budget_(budget),
        memory_(budget),
        skip_counter_("stack", budget, diagnostics),
        functions_(tables, budget, diagnostics) {}

  // Marks a stack as used; may be called several times for one stack. Must not
  // be called after Finish.
  void Use(StackId stack) {
    if (stack >= used_.size()) used_.resize(stack + 1);
    used_[stack] = true;
  }
  // Builds and symbolizes the tree of the used stacks. Frees all stacks of the
  // tables (TraceTables::DropStacks): TraceTables::FramesOf must not be called
  // afterwards. To be called once.
  void Finish(Pipeline& pipeline);

  // The following are valid after Finish.

  // Returns the node of a stack's leaf; kNoId for unused and skipped stacks.
  StackTree::NodeId NodeOf(StackId stack) const {
    return stack < node_of_.size() ? node_of_[stack] : kNoId;
  }
  // Returns the used stacks. All of their frames are symbolized.
  const StackTree& tree() const { return tree_; }
  // Returns the functions to show at a node, innermost first: the Lines of its
  // frame. If the node is_flat, only the outermost of them.
  absl::Span<const Line> LinesOf(StackTree::NodeId node) {
    return functions_.LinesOf(tree_.frame(node), is_flat(node));
  }
  // See StackFunctions.
  bool is_flat(StackTree::NodeId node) const {
    return !flat_.empty() && flat_[node];
  }

 private:
  // Returns the memory in bytes of a tree with `more` nodes, and of what is
  // made of its nodes once its index is gone.
  uint64_t MemoryWith(size_t more) const;
  void Symbolize(WorkerPool& workers);

  TraceTables& tables_;
  const Budget& budget_;
  Budget::Share memory_;  // of the tree and of tables that grow with frames
  SkipCounter skip_counter_;
  std::vector<bool> used_;  // by stack
  StackTree tree_;
  StackFunctions functions_;
  std::vector<bool> flat_;                  // by node; empty: none is
  std::vector<StackTree::NodeId> node_of_;  // by stack; kNoId: none
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_USED_STACKS_H_
