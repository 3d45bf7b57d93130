#ifndef PERF2X_BASE_EXPANSION_H_
#define PERF2X_BASE_EXPANSION_H_

#include <cstdint>

namespace perf2x {

// Compressed data that unpacks to more than 64 MB is taken for an attack when
// it is no longer than 1 MB, or unpacks to more than this many times its size.
// Recordings of large stack copies, which compress best, reach some 150 times.
inline constexpr uint64_t kMostExpansion = 1024;
inline constexpr uint64_t kSmallCompressed = 1'000'000;
inline constexpr uint64_t kMostUnpackedFromSmall = 64 << 20;

// `compressed` is the size of all compressed data, as far as it is known.
inline bool ExpandsTooMuch(uint64_t compressed, uint64_t unpacked) {
  return unpacked > kMostUnpackedFromSmall &&
         (compressed <= kSmallCompressed ||
          unpacked / kMostExpansion > compressed);
}

}  // namespace perf2x

#endif  // PERF2X_BASE_EXPANSION_H_
