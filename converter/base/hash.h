// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_HASH_H_
#define PERF2X_BASE_HASH_H_

#include <cstdint>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "absl/types/span.h"
#include "converter/base/hash_seed.h"

namespace perf2x {

// A hash of 128 bits. Callers may treat bytes with equal hashes as equal. The
// hash of the same bytes differs between processes.
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

// Returns the hash of `bytes`.
inline Hash128 HashBytes(absl::Span<const uint8_t> bytes) {
  const XXH128_hash_t h =
      XXH3_128bits_withSecret(bytes.data(), bytes.size(),
                              kHashSeed.secret.data(), kHashSeed.secret.size());
  return {h.low64, h.high64};
}

// Returns a hash of the pair (`hash`, `number`). XXH3 with `number` as its seed
// would be no substitute: similar short inputs with similar seeds can have
// equal hashes.
inline Hash128 Combine(const Hash128& hash, uint64_t number) {
  constexpr uint64_t kOdd = 0x9e3779b97f4a7c15;
  return {hash.low ^ (number * kOdd), hash.high + number * kOdd};
}

}  // namespace perf2x

#endif  // PERF2X_BASE_HASH_H_
