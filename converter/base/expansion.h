#ifndef PERF2X_BASE_EXPANSION_H_
#define PERF2X_BASE_EXPANSION_H_

#include <cstdint>

namespace perf2x {

// Compressed data that unpacks to more than this many times its size, and to
// more than 64 MB, is taken for an attack. Recordings of large stack copies,
// which compress best, reach some 150 times.
inline constexpr uint64_t kMostExpansion = 1024;

inline bool ExpandsTooMuch(uint64_t compressed, uint64_t unpacked) {
  constexpr uint64_t kAlways = 64 << 20;
  return unpacked > kAlways && unpacked / kMostExpansion > compressed;
}

}  // namespace perf2x

#endif  // PERF2X_BASE_EXPANSION_H_
