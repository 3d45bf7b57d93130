// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_SKIPPED_PARTS_H_
#define PERF2X_SYMBOLIZE_SKIPPED_PARTS_H_

#include <cstdint>
#include <set>
#include <string>

#include "converter/base/budget.h"

namespace perf2x {

// The parts of a symbol file that were skipped: damaged, not supported, or too
// costly for its size (SECURITY.md: shared bytes, decompression bombs, cycles).
struct SkippedParts {
  uint64_t symbols = 0;
  std::set<std::string> sections;  // names of debug sections
  // Units and functions, by DWARF offset or (Go) by address.
  std::set<uint64_t> entries;
  // Resources of the file's budget that are exhausted: "memory", "work".
  std::set<std::string> used_up;

  bool empty() const {
    return symbols == 0 && sections.empty() && entries.empty() &&
           used_up.empty();
  }
  // Adds the parts that `other` has.
  void Add(const SkippedParts& other);
  // Adds the resource of a file's budget that was exhausted first, if any is.
  void Add(const Budget& budget) {
    if (budget.exhausted()) used_up.insert(budget.exhausted_name());
  }
  // Returns a warning to be printed after the file's name: "asks for more than
  // ...: .debug_info, 3 symbols left out". Requires !empty().
  std::string Text() const;
};

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_SKIPPED_PARTS_H_
