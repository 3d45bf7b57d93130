// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_JSON_ALLOCATOR_H_
#define PERF2X_BASE_JSON_ALLOCATOR_H_

#include <cstring>
#include <new>

namespace perf2x {

// An allocator for RapidJSON (its concept Allocator) that fails as operator new
// does. With RapidJSON's own allocator, its writers would write to a null
// pointer when no memory is left.
class JsonAllocator {
 public:
  static constexpr bool kNeedFree = true;  // RapidJSON must call Free
  // The functions of RapidJSON's Allocator. Sizes are in bytes; for a size of
  // 0, they return null.
  void* Malloc(size_t size) {
    return size == 0 ? nullptr : ::operator new(size);
  }
  void* Realloc(void* old, size_t old_size, size_t size) {
    void* grown = Malloc(size);
    if (old != nullptr && size != 0) {
      std::memcpy(grown, old, old_size < size ? old_size : size);
    }
    Free(old);
    return grown;
  }
  static void Free(void* at) { ::operator delete(at); }
};

}  // namespace perf2x

#endif  // PERF2X_BASE_JSON_ALLOCATOR_H_
