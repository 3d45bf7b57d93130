// SPDX-License-Identifier: Apache-2.0
#include "converter/symbolize/dwarf/inline_tree_cache.h"

#include <algorithm>

namespace perf2x {
namespace {

// Limits on the memory of the trees that are kept, in bytes and as a part of
// the file's budget.
constexpr uint64_t kMaxTreeMemory = 64 << 20, kTreePart = 8;

}  // namespace

InlineTreeCache::InlineTreeCache(Budget& budget, SkippedParts* skipped)
    : max_memory_(
          std::min(kMaxTreeMemory, budget.Limit(Budget::kMemory) / kTreePart)),
      memory_(budget),
      skipped_(skipped) {}

InlineTree& InlineTreeCache::Read(const DwarfUnit& unit, uint64_t offset) {
  if (memory_.held() >= max_memory_) {
    trees_.clear();
    memory_.Set(0);
  }
  auto& tree = trees_[{&unit, offset}];
  tree = std::make_unique<InlineTree>(unit, offset);
  memory_.Set(memory_.held() + tree->memory());
  if (tree->truncated()) skipped_->entries.insert(offset);
  return *tree;
}

}  // namespace perf2x
