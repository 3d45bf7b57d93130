#ifndef PERF2X_BASE_HASH_H_
#define PERF2X_BASE_HASH_H_

#include <cstdint>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "absl/types/span.h"

namespace perf2x {

// 128 bits that stand for the bytes they were made of: with them equal, the
// bytes are taken to be equal.
struct Hash128 {
  uint64_t low = 0, high = 0;
  friend bool operator==(const Hash128& a, const Hash128& b) {
    return a.low == b.low && a.high == b.high;
  }
  template <class H>
  friend H AbslHashValue(H h, const Hash128& v) {
    return H::combine(std::move(h), v.low);
  }
};

inline Hash128 HashBytes(absl::Span<const uint8_t> bytes, uint64_t seed = 0) {
  XXH128_hash_t h = XXH3_128bits_withSeed(bytes.data(), bytes.size(), seed);
  return {h.low64, h.high64};
}

}  // namespace perf2x

#endif  // PERF2X_BASE_HASH_H_
