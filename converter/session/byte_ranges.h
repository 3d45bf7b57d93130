// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_BYTE_RANGES_H_
#define PERF2X_SESSION_BYTE_RANGES_H_

#include <cstddef>
#include <cstdint>
#include <map>

#include "absl/functional/function_ref.h"

namespace perf2x {

// A set of bytes of a stream, kept as ranges of offsets. Not thread-safe.
class ByteRanges {
 public:
  // Receives the start and the end of a range.
  using Found = absl::FunctionRef<void(uint64_t start, uint64_t end)>;

  // Adds [start, end), which must not be empty. Calls `is_new` for each part
  // that was not in the set, ascending. Returns the number of bytes that were
  // in the set already.
  uint64_t Add(uint64_t start, uint64_t end, Found is_new);
  // Removes [start, end).
  void Remove(uint64_t start, uint64_t end);
  // Returns true if the set has all of [start, end), which must not be empty.
  bool Contains(uint64_t start, uint64_t end) const;
  // Calls `lacks` for each part of [start, end) that is not in the set,
  // ascending.
  void ForEachGap(uint64_t start, uint64_t end, Found lacks) const;
  // Calls `f` for each range of the set, ascending.
  void ForEach(Found f) const {
    for (const auto& [start, end] : ends_) f(start, end);
  }
  // Returns the end of the range that has bytes `at - 1` and `at`; `at` if none
  // has.
  uint64_t EndOfRangeAround(uint64_t at) const;
  // Returns the largest offset in the set, plus 1; 0: it is empty.
  uint64_t end() const { return ends_.empty() ? 0 : ends_.rbegin()->second; }
  size_t size() const { return ends_.size(); }  // ranges

 private:
  // By start. The ranges do not touch.
  std::map<uint64_t, uint64_t> ends_;
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_BYTE_RANGES_H_
