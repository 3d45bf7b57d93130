// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_PREFETCH_H_
#define PERF2X_BASE_PREFETCH_H_

#include <cstddef>

namespace perf2x {

// The size of a cache line in bytes, as the functions below assume it.
inline constexpr size_t kCacheLine = 64;

// Starts to fetch the cache line at `at` and does not wait for it. `at` may be
// any address, even an invalid one.
inline void Prefetch(const void* at) {
  __builtin_prefetch(at);
  // GCC 12 considers a function that only prefetches to have no effect, and
  // drops calls of it that are not inlined early. The empty asm prevents that.
  asm volatile("");
}
// As Prefetch, for memory that will be written.
inline void PrefetchForWriting(const void* at) {
  __builtin_prefetch(at, 1);
  asm volatile("");
}
// Prefetches all cache lines of `size` bytes.
inline void PrefetchAll(const void* begin, size_t size) {
  const auto* at = static_cast<const char*>(begin);
  for (size_t i = 0; i < size; i += kCacheLine) Prefetch(at + i);
  if (size > 0) Prefetch(at + size - 1);
}

}  // namespace perf2x

#endif  // PERF2X_BASE_PREFETCH_H_
