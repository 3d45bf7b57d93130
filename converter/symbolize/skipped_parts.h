// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_SKIPPED_PARTS_H_
#define PERF2X_SYMBOLIZE_SKIPPED_PARTS_H_

#include <cstdint>
#include <set>
#include <string>

#include "converter/base/budget.h"

namespace perf2x {

// Parts of a hostile file that the bounds of SECURITY.md skip: parts that reuse
// the same bytes, decompress without end, or refer to each other in circles.
// Empty for real files.
struct SkippedParts {
  uint64_t symbols = 0;
  std::set<std::string> sections;  // of debug information, by name
  std::set<uint64_t> entries;      // units and functions in it, by offset
  // Resources of the file's budget that are exhausted: "memory", "work".
  std::set<std::string> used_up;

  bool empty() const {
    return symbols == 0 && sections.empty() && entries.empty() &&
           used_up.empty();
  }
  void Add(const SkippedParts& other);
  // Adds the exhausted resource of a file's budget, if there is one.
  void Add(const Budget& budget) {
    if (budget.exhausted()) used_up.insert(budget.exhausted_name());
  }
  // Returns a warning: "… .debug_info, 3 symbols, parts of 2 functions or units
  // left out".
  std::string Text() const;
};

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_SKIPPED_PARTS_H_
