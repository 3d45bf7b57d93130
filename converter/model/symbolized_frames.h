// SPDX-License-Identifier: Apache-2.0
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

// A frame's lines, as a range of the lines of its DSO.
struct LineRange {
  uint32_t first = 0;  // index of the first one
  uint32_t count = 0;  // 0: not symbolized yet
};

// Collects the functions that one call of Symbolizer::Resolve finds. Separate
// from TraceTables, so that several threads can symbolize DSOs while the
// results are interned in a fixed order. Copies the strings, and hashes them
// once per function, not once per frame. Not thread-safe.
class SymbolizedFrames {
 public:
  // Adds the functions of one frame. Appends a Line for each of `symbols` to
  // `*lines`. Line::function is an index into functions(). Returns the range of
  // the Lines in `*lines`; empty if `symbols` is empty. If the Lines equal the
  // latest ones, appends nothing and returns their range. `lines` must be the
  // same in all calls. Across all calls, equal string pointers must mean equal
  // strings.
  LineRange Add(absl::Span<const Symbol> symbols, std::vector<Line>* lines);
  // Returns the number of calls of Add that had symbols.
  size_t frame_count() const { return frames_; }

  // Returns the functions in order of appearance. Their strings are ids of
  // strings(). Some functions may be equal.
  const std::vector<Function>& functions() const { return functions_; }
  const StringTable& strings() const { return strings_; }

  // Frees the tables of Add, which must not be called afterwards.
  void Finish() { ids_ = {}; }

 private:
  // Pointers and sizes of a function's strings, and its start line.
  using Key = std::tuple<const char*, size_t, const char*, size_t, const char*,
                         size_t, uint32_t>;

  FunctionId NewFunction(const Symbol& symbol);
  FunctionId FunctionOf(const Symbol& symbol, bool may_come_again);

  StringTable strings_;
  std::vector<Function> functions_;
  absl::flat_hash_map<Key, FunctionId> ids_;  // functions that may recur
  Key last_key_;
  FunctionId last_ = kNoId;
  LineRange last_range_;
  size_t frames_ = 0;
};

}  // namespace perf2x

#endif  // PERF2X_MODEL_SYMBOLIZED_FRAMES_H_
