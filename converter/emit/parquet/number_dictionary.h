// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_PARQUET_NUMBER_DICTIONARY_H_
#define PERF2X_EMIT_PARQUET_NUMBER_DICTIONARY_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"

namespace perf2x {

// Finds the distinct numbers of a column. Keeps its memory for the next column.
class NumberDictionary {
 public:
  // Makes the dictionary of `numbers`. Returns false if the dictionary would
  // save no space, if there are more than 65536 distinct numbers, or if
  // `numbers` is empty. Gives up early if most of the first rows are distinct.
  bool Build(absl::Span<const uint64_t> numbers);

  // The following require that the latest Build returned true.

  // Returns the distinct numbers in order of appearance.
  const std::vector<uint64_t>& distinct() const { return distinct_; }
  // Returns the index of each row's number in distinct().
  const std::vector<uint32_t>& indexes() const { return indexes_; }

 private:
  void ClearSlots(size_t numbers);
  uint32_t Find(uint64_t number);

  std::vector<uint64_t> distinct_;
  std::vector<uint32_t> indexes_;
  // A hash table by open addressing, at most half full.
  int shift_ = 0;
  std::vector<uint32_t> slots_;  // index + 1; 0: free
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_PARQUET_NUMBER_DICTIONARY_H_
