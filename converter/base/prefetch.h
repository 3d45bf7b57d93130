// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_PREFETCH_H_
#define PERF2X_BASE_PREFETCH_H_

#include <cstddef>

namespace perf2x {

inline constexpr size_t kCacheLine = 64;

// Starts to fetch the cache line at `at`, which may be any address, so that it
// is there when it is asked for.
inline void Prefetch(const void* at) {
  __builtin_prefetch(at);
  // To GCC 12 a function that only prefetches has no effect: it drops calls of
  // it, unless it was inlined before it is looked at. Not with this in it.
  asm volatile("");
}
inline void PrefetchForWriting(const void* at) {
  __builtin_prefetch(at, 1);
  asm volatile("");
}
// The same for all cache lines of `size` bytes.
inline void PrefetchAll(const void* begin, size_t size) {
  const auto* at = static_cast<const char*>(begin);
  for (size_t i = 0; i < size; i += kCacheLine) Prefetch(at + i);
  if (size > 0) Prefetch(at + size - 1);
}

}  // namespace perf2x

#endif  // PERF2X_BASE_PREFETCH_H_
