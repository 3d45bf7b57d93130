// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_COMPRESSION_RATIO_H_
#define PERF2X_BASE_COMPRESSION_RATIO_H_

#include <cstdint>

namespace perf2x {

// Compressed data that unpacks to more than 64 MB is treated as a decompression
// bomb when it is no longer than 1 MB, or unpacks to more than this many times
// its size. Recordings of large stack copies, which compress best, reach some
// 150 times.
inline constexpr uint64_t kMaxCompressionRatio = 1024;
inline constexpr uint64_t kSmallCompressed = 1'000'000;
inline constexpr uint64_t kMaxUnpackedFromSmall = 64 << 20;

// `compressed` is the size of all compressed data, as far as it is known.
inline bool IsDecompressionBomb(uint64_t compressed, uint64_t unpacked) {
  return unpacked > kMaxUnpackedFromSmall &&
         (compressed <= kSmallCompressed ||
          unpacked / kMaxCompressionRatio > compressed);
}

}  // namespace perf2x

#endif  // PERF2X_BASE_COMPRESSION_RATIO_H_
