// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_PARQUET_NUMBER_DICTIONARY_H_
#define PERF2X_EMIT_PARQUET_NUMBER_DICTIONARY_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"

namespace perf2x {

// The distinct numbers of a column, in order of appearance. `indexes` has the
// index of each row's number.
struct NumberDictionary {
  std::vector<uint64_t> distinct;
  std::vector<uint32_t> indexes;  // in `distinct`, by row

  // Returns the dictionary of `numbers`. Returns nullopt if the dictionary
  // would save no space, if there are more than 65536 distinct numbers, or if
  // `numbers` is empty. Gives up early if most of the first rows are distinct.
  static std::optional<NumberDictionary> Build(
      absl::Span<const uint64_t> numbers);
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_PARQUET_NUMBER_DICTIONARY_H_
