// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_COMPRESSION_RATIO_H_
#define PERF2X_BASE_COMPRESSION_RATIO_H_

#include <cstdint>

namespace perf2x {

// Limits of IsDecompressionBomb. Sizes are in bytes. Recordings of large user
// stack dumps compress best: to about 1/150.
inline constexpr uint64_t kMaxCompressionRatio = 1024;
inline constexpr uint64_t kSmallCompressed = 1'000'000;
inline constexpr uint64_t kMaxUnpackedFromSmall = 64 << 20;

// Returns true for a decompression bomb. `unpacked` is the number of bytes
// decompressed so far. `compressed` is the size of the compressed data in
// bytes, as far as it is known.
//
// Always false if `unpacked` is at most kMaxUnpackedFromSmall. Otherwise true
// if `compressed` is at most kSmallCompressed, or if the ratio of the two sizes
// exceeds kMaxCompressionRatio.
inline bool IsDecompressionBomb(uint64_t compressed, uint64_t unpacked) {
  return unpacked > kMaxUnpackedFromSmall &&
         (compressed <= kSmallCompressed ||
          unpacked / kMaxCompressionRatio > compressed);
}

}  // namespace perf2x

#endif  // PERF2X_BASE_COMPRESSION_RATIO_H_
