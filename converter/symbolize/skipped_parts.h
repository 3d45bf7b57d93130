#ifndef PERF2X_SYMBOLIZE_SKIPPED_PARTS_H_
#define PERF2X_SYMBOLIZE_SKIPPED_PARTS_H_

#include <cstdint>
#include <set>
#include <string>

#include "converter/base/budget.h"

namespace perf2x {

// What the bounds of SECURITY.md keep back of a hostile file: parts that share
// their bytes over and over, unpack without end, or refer to each other in
// circles. Nothing of it is there for real files.
struct SkippedParts {
  uint64_t symbols = 0;
  std::set<std::string> sections;  // of debug information, by name
  std::set<uint64_t> entries;      // units and functions in it, by offset
  // What a file may cause and was used up, so that more is missing: "memory",
  // "work".
  std::set<std::string> used_up;

  bool empty() const {
    return symbols == 0 && sections.empty() && entries.empty() &&
           used_up.empty();
  }
  void Add(const SkippedParts& other);
  // Adds what of a file's budget is used up.
  void Add(const Budget& budget) {
    if (budget.exhausted()) used_up.insert(budget.exhausted_name());
  }
  // "3 symbols, .debug_info, parts of 2 functions or units …"
  std::string Text() const;
};

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_SKIPPED_PARTS_H_
