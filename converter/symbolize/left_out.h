#ifndef PERF2X_SYMBOLIZE_LEFT_OUT_H_
#define PERF2X_SYMBOLIZE_LEFT_OUT_H_

#include <cstdint>
#include <set>
#include <string>

namespace perf2x {

// What the bounds of SECURITY.md keep back of a hostile file: parts that share
// their bytes over and over, unpack without end, or refer to each other in
// circles. Nothing of it is there for real files.
struct LeftOut {
  uint64_t symbols = 0;
  std::set<std::string> sections;  // of debug information, by name
  std::set<uint64_t> entries;      // units and functions in it, by offset

  bool empty() const {
    return symbols == 0 && sections.empty() && entries.empty();
  }
  void Add(const LeftOut& other);
  // "3 symbols, .debug_info, parts of 2 functions or units …"
  std::string Text() const;
};

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_LEFT_OUT_H_
