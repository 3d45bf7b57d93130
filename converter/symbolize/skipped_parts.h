// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_SKIPPED_PARTS_H_
#define PERF2X_SYMBOLIZE_SKIPPED_PARTS_H_

#include <cstdint>
#include <set>
#include <string>

#include "converter/base/budget.h"

namespace perf2x {

// The parts of a symbol file that were skipped because they are damaged, not
// supported, or too costly for the file's size (SECURITY.md).
struct SkippedParts {
  uint64_t symbols = 0;            // number of symbols
  std::set<std::string> sections;  // names of debug sections
  // Units and functions, by DWARF offset or (Go) by address.
  std::set<uint64_t> entries;
  // Resources of the file's budget that are exhausted: "memory", "work".
  std::set<std::string> exhausted_resources;

  // Returns true if nothing was skipped.
  bool empty() const {
    return symbols == 0 && sections.empty() && entries.empty() &&
           exhausted_resources.empty();
  }
  // Adds the parts in `other`.
  void Add(const SkippedParts& other);
  // If the budget is exhausted, adds the resource that was exhausted first.
  void Add(const Budget& budget) {
    if (budget.exhausted()) exhausted_resources.insert(budget.exhausted_name());
  }
  // Returns a warning that lists the skipped parts, to be printed after the
  // file's name. Requires !empty().
  std::string Text() const;
};

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_SKIPPED_PARTS_H_
