// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_COMPRESSION_RATIO_H_
#define PERF2X_BASE_COMPRESSION_RATIO_H_

#include <cstdint>

namespace perf2x {

// Data that decompresses to more than kMaxUnpackedFromSmall bytes may be a
// decompression bomb. It is one if its compressed size is at most
// kSmallCompressed, or if the ratio of the sizes exceeds kMaxCompressionRatio.
// Recordings of large user stack dumps, which compress best, reach a ratio of
// about 150.
inline constexpr uint64_t kMaxCompressionRatio = 1024;
inline constexpr uint64_t kSmallCompressed = 1'000'000;
inline constexpr uint64_t kMaxUnpackedFromSmall = 64 << 20;

// Returns true if data that has decompressed to `unpacked` bytes so far is a
// decompression bomb. `compressed` is the size of the compressed data in bytes,
// as far as it is known.
inline bool IsDecompressionBomb(uint64_t compressed, uint64_t unpacked) {
  return unpacked > kMaxUnpackedFromSmall &&
         (compressed <= kSmallCompressed ||
          unpacked / kMaxCompressionRatio > compressed);
}

}  // namespace perf2x

#endif  // PERF2X_BASE_COMPRESSION_RATIO_H_
