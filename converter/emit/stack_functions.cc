// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/stack_functions.h"

#include <algorithm>

namespace perf2x {

std::vector<bool> StackFunctions::FlatNodes(const StackTree& tree) {
  // Bytes of memory that emitters need for a function at a node, twice.
  constexpr uint64_t kOfFunction = 128;
  const uint64_t limit = budget_.Limit(Budget::kMemory);
  const uint64_t used = std::min(limit, budget_.used(Budget::kMemory));
  uint64_t may_inline = budget_.exhausted() ? 0 : (limit - used) / kOfFunction;
  std::vector<bool> flat;
  // By node: the functions that count, from the outermost frame to the node's.
  std::vector<uint32_t> functions(tree.size());
  for (StackTree::NodeId node = 0; node < tree.size(); ++node) {
    const StackTree::NodeId parent = tree.parent(node);
    const size_t outer = parent == kNoId ? 0 : functions[parent];
    const size_t more = tables_.Lines(tree.frame(node)).size();
    const bool below_flat = parent != kNoId && !flat.empty() && flat[parent];
    if (below_flat ||
        (more > 1 && (outer + more > kMax || more - 1 > may_inline))) {
      flat.resize(tree.size());
      flat[node] = true;
      functions[node] = static_cast<uint32_t>(outer + 1);
      if (more > 1) ++flat_nodes_;
      continue;
    }
    may_inline -= more - 1;
    functions[node] = static_cast<uint32_t>(outer + more);
  }
  return flat;
}

void StackFunctions::Report() const {
  skip_counter_.Report();
  if (diagnostics_ == nullptr) return;
  const auto add = [this](const char* what, uint64_t count) {
    if (count == 0) return;
    diagnostics_->Add(Diagnostics::Severity::kSkipped, what, 0, 0, count);
  };
  add("stack without inlined functions of its inner frames: it has more than "
      "65,536 functions",
      too_many_);
  add("frame without its inlined functions: its stacks have more functions "
      "than an input of this size may cause (see SECURITY.md)",
      flat_nodes_);
}

}  // namespace perf2x
