// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_SUPPORT_SPAN_OF_H_
#define PERF2X_TESTS_SUPPORT_SPAN_OF_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "converter/base/byte_order.h"
#include "converter/base/byte_reader.h"

namespace perf2x {

// Returns words as a record has them; they must outlive the span.
inline WordSpan SpanOf(absl::Span<const uint64_t> words) {
  return {reinterpret_cast<const uint8_t*>(words.data()), words.size(),
          kHostOrder};
}

// Returns words with the bytes that a little-endian machine gives them. In what
// it records, bit fields have other places than on a big-endian one.
inline std::vector<uint64_t> LittleEndian(std::vector<uint64_t> words) {
  for (uint64_t& word : words) {
    Store(word, reinterpret_cast<uint8_t*>(&word), ByteOrder::kLittle);
  }
  return words;
}

}  // namespace perf2x

#endif  // PERF2X_TESTS_SUPPORT_SPAN_OF_H_
