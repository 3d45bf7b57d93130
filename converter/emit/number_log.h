// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_NUMBER_LOG_H_
#define PERF2X_EMIT_NUMBER_LOG_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace perf2x {

// A compact list of numbers. Readers read it, any number of times, in the order
// of Add. Numbers below 128 take a byte (LEB128). The first chunks of memory
// are small, so thousands of short logs are cheap. A moved-from log must not be
// used. Not thread-safe.
class NumberLog {
 public:
  // Adds the bytes of each allocation to `*memory`, and never subtracts any.
  // `memory` must outlive the log. It may be null for a log that stays empty.
  explicit NumberLog(uint64_t* memory) : memory_(memory) {}
  NumberLog(NumberLog&&) = default;
  NumberLog& operator=(NumberLog&&) = default;

  // Appends a number.
  void Add(uint64_t number) {
    if (free_ < kMaxBytes) AddChunk();
    Chunk& chunk = chunks_.back();
    uint8_t* to = chunk.bytes.get() + chunk.used;
    const uint8_t* const begin = to;
    for (; number >= 0x80; number >>= 7) {
      *to++ = static_cast<uint8_t>(number | 0x80);
    }
    *to++ = static_cast<uint8_t>(number);
    chunk.used += static_cast<uint32_t>(to - begin);
    free_ -= static_cast<uint32_t>(to - begin);
  }
  // Appends a number for NextSigned. Numbers from -64 to 63 take a byte.
  void AddSigned(int64_t number) {
    Add((static_cast<uint64_t>(number) << 1) ^
        static_cast<uint64_t>(number >> 63));
  }

  // Reads a log from its first number on. The log must outlive the reader, and
  // must not change meanwhile.
  class Reader {
   public:
    explicit Reader(const NumberLog& log) : log_(log) {}
    // Returns the next number. Requires that there is one, and that Add
    // appended it. Does not detect the end.
    uint64_t Next() {
      while (at_ == log_.chunks_[chunk_].used) {
        ++chunk_;
        at_ = 0;
      }
      const uint8_t* const bytes = log_.chunks_[chunk_].bytes.get();
      uint64_t number = 0;
      for (int shift = 0;; shift += 7) {
        const uint8_t byte = bytes[at_++];
        number |= uint64_t{byte & 0x7fu} << shift;
        if (byte < 0x80) return number;
      }
    }
    // As Next, for a number that AddSigned appended.
    int64_t NextSigned() {
      const uint64_t number = Next();
      return static_cast<int64_t>((number >> 1) ^ (0 - (number & 1)));
    }

   private:
    const NumberLog& log_;
    size_t chunk_ = 0;
    uint32_t at_ = 0;
  };

 private:
  static constexpr uint32_t kMaxBytes = 10;  // of one number
  static constexpr uint32_t kFirstChunk = 48, kLastChunk = 64 << 10;

  struct Chunk {
    std::unique_ptr<uint8_t[]> bytes;
    uint32_t used = 0;
  };
  void AddChunk() {
    chunk_size_ =
        chunks_.empty() ? kFirstChunk : std::min(2 * chunk_size_, kLastChunk);
    // Not make_unique, which would zero the bytes.
    chunks_.push_back({std::unique_ptr<uint8_t[]>(new uint8_t[chunk_size_])});
    free_ = chunk_size_;
    constexpr uint64_t kOverhead = 2 * sizeof(Chunk) + 16;
    *memory_ += chunk_size_ + kOverhead;
  }

  std::vector<Chunk> chunks_;
  uint32_t chunk_size_ = 0;  // of the last chunk
  uint32_t free_ = 0;        // bytes left in it
  uint64_t* memory_;
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_NUMBER_LOG_H_
