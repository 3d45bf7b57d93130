// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_PARQUET_LEVEL_ENCODING_H_
#define PERF2X_EMIT_PARQUET_LEVEL_ENCODING_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"

namespace perf2x {

// Returns how many bits a number up to `max` needs; 0 for 0.
inline int BitWidthOf(uint64_t max) {
  return static_cast<int>(std::bit_width(max));
}

// Appends small numbers, such as levels and dictionary indexes, in Parquet's
// hybrid of run lengths and packed bits (parquet-format, Encodings.md, RLE =
// 3). `width` is from 1 to 32; numbers must be less than 2^width.
void AppendHybrid(absl::Span<const uint32_t> numbers, int width,
                  std::string* out);

// The definition or repetition levels of a column chunk, in order of its
// values. Levels that are all equal take no memory, others a byte each.
class Levels {
 public:
  // Appends `count` equal levels.
  void Add(uint8_t level, size_t count = 1) {
    if (levels_.empty() && (size_ == 0 || level == first_)) {
      first_ = level;
    } else {
      AddOther(level, count);
    }
    size_ += count;
  }
  void clear() {
    levels_.clear();
    size_ = 0;
  }
  // Returns the number of levels.
  size_t size() const { return size_; }
  // Appends the levels in the form of a data page: their size in bytes, then
  // the levels in the hybrid encoding. No level may exceed 1.
  void AppendTo(std::string* out) const;

 private:
  void AddOther(uint8_t level, size_t count);

  uint8_t first_ = 0;
  size_t size_ = 0;
  std::vector<uint8_t> levels_;  // empty: all are first_
};

// Appends numbers in the encoding DELTA_BINARY_PACKED (5), which is short for
// ascending numbers such as times.
void AppendDeltas(absl::Span<const uint64_t> numbers, std::string* out);

// Appends `number` as a little-endian word of 4 bytes.
void AppendUint32(uint32_t number, std::string* out);
// Appends numbers as little-endian words of 8 bytes.
void AppendPlain(absl::Span<const uint64_t> numbers, std::string* out);

}  // namespace perf2x

#endif  // PERF2X_EMIT_PARQUET_LEVEL_ENCODING_H_
