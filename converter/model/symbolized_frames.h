#ifndef PERF2X_MODEL_SYMBOLIZED_FRAMES_H_
#define PERF2X_MODEL_SYMBOLIZED_FRAMES_H_

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "converter/base/string_table.h"
#include "converter/model/model.h"
#include "converter/model/symbolizer.h"

namespace perf2x {

// Where the lines of a frame are among those of its file.
struct LineRange {
  uint32_t first = 0;
  uint32_t count = 0;  // 0: not named yet
};

// The functions that one call of Symbolizer::Resolve finds, kept apart from the
// tables so that files can be named on several threads and interned in a fixed
// order. Strings are looked at once a function, not once a frame.
class SymbolizedFrames {
 public:
  // The lines of a frame with `symbols`: new ones at the end of `*lines`, or
  // those that the call before gave, which neighbours often share. Their
  // functions are indices into functions(). None for no symbols.
  LineRange Add(absl::Span<const Symbol> symbols, std::vector<Line>* lines);
  // How often Add was called with symbols.
  size_t frames() const { return frames_; }

  // In order of appearance, with ids of strings(). Some may be equal.
  const std::vector<Function>& functions() const { return functions_; }
  const StringTable& strings() const { return strings_; }

  // Frees what only Add needs.
  void Finish() { ids_ = {}; }

 private:
  // Where a function's strings lie, with their sizes, and its line.
  using Key = std::tuple<const char*, size_t, const char*, size_t, const char*,
                         size_t, uint32_t>;

  FunctionId NewFunction(const Symbol& symbol);
  FunctionId FunctionOf(const Symbol& symbol, bool may_come_again);

  StringTable strings_;
  std::vector<Function> functions_;
  absl::flat_hash_map<Key, FunctionId> ids_;  // of those that may come again
  Key last_key_;
  FunctionId last_ = kNoId;
  LineRange last_range_;
  size_t frames_ = 0;
};

}  // namespace perf2x

#endif  // PERF2X_MODEL_SYMBOLIZED_FRAMES_H_
