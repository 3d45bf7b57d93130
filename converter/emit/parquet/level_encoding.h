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

// Appends numbers of `width` bits each, lowest bit first. Fills the last byte
// with zeros. `width` is from 0 to 64. Numbers must be less than 2^width.
void AppendBits(absl::Span<const uint64_t> numbers, int width,
                std::string* out);

// Encodes small numbers, such as levels and dictionary indexes, in Parquet's
// hybrid of run lengths and packed bits (parquet-format, Encodings.md, RLE =
// 3).
class HybridEncoder {
 public:
  // Numbers have `width` bits, at most 32. Appends to `*out`, which must
  // outlive this.
  HybridEncoder(int width, std::string* out) : width_(width), out_(*out) {}

  // Adds `value`, which must be less than 2^width, `count` times.
  void Put(uint32_t value, size_t count = 1) {
    if (value == value_) {
      run_ += count;
      return;
    }
    EndRun();
    value_ = value;
    run_ = count;
  }
  // Appends the last numbers to `*out`. To be called once, last.
  void Finish();

 private:
  void EndRun();
  void AppendLiterals();

  const int width_;
  std::string& out_;
  uint32_t value_ = 0;
  size_t run_ = 0;  // how often `value_` came last
  std::vector<uint64_t> literals_;
};

// The definition or repetition levels of a column chunk, in order of its
// values. Consecutive equal levels take no more memory than one.
class Levels {
 public:
  // Appends a level.
  void Add(uint8_t level) {
    if (level != last_.level) EndRun(level);
    ++last_.count;
    ++size_;
  }
  void clear() {
    runs_.clear();
    last_ = Run();
    size_ = 0;
  }
  // Returns the number of levels.
  size_t size() const { return size_; }
  // Appends the levels in the form of a data page: their size in bytes, then
  // the levels in the hybrid encoding. No level may exceed `max`.
  void AppendTo(std::string* out, uint8_t max) const;

 private:
  struct Run {
    uint8_t level = 0;
    uint32_t count = 0;
  };
  void EndRun(uint8_t next) {
    runs_.push_back(last_);
    last_ = {next, 0};
  }

  std::vector<Run> runs_;  // before last_
  Run last_;
  size_t size_ = 0;
};

// Appends numbers in the encoding DELTA_BINARY_PACKED (5), which is short for
// ascending numbers such as times.
void AppendDeltas(absl::Span<const uint64_t> numbers, std::string* out);

// Appends `number` as a little-endian word of 4 bytes.
void AppendUint32(uint32_t number, std::string* out);

}  // namespace perf2x

#endif  // PERF2X_EMIT_PARQUET_LEVEL_ENCODING_H_
