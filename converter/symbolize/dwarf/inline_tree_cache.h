// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_DWARF_INLINE_TREE_CACHE_H_
#define PERF2X_SYMBOLIZE_DWARF_INLINE_TREE_CACHE_H_

#include <cstdint>
#include <memory>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "converter/base/budget.h"
#include "converter/symbolize/dwarf/inline_tree.h"
#include "converter/symbolize/skipped_parts.h"

namespace perf2x {

// The inline trees of the functions of a file that were looked up last. Their
// memory is charged to the file's budget, and has a limit. Not thread-safe.
class InlineTreeCache {
 public:
  // `budget` is the file's. Functions whose trees are truncated are added to
  // `*skipped`. Both must outlive the cache.
  InlineTreeCache(Budget& budget, SkippedParts* skipped);

  // Returns the tree of the function whose entry is at `offset` of the unit's
  // section; reads it unless it is kept. Valid until the next call. `unit` must
  // outlive the cache.
  InlineTree& At(const DwarfUnit& unit, uint64_t offset) {
    const auto it = trees_.find({&unit, offset});
    return it != trees_.end() ? *it->second : Read(unit, offset);
  }

 private:
  // Reads a tree that is not kept. Drops all others if they reach the limit.
  InlineTree& Read(const DwarfUnit& unit, uint64_t offset);

  const uint64_t max_memory_;  // bytes
  Budget::Share memory_;       // of trees_
  SkippedParts* const skipped_;
  absl::flat_hash_map<std::pair<const DwarfUnit*, uint64_t>,
                      std::unique_ptr<InlineTree>>
      trees_;
};

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_DWARF_INLINE_TREE_CACHE_H_
