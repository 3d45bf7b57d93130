// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_JSON_ALLOCATOR_H_
#define PERF2X_BASE_JSON_ALLOCATOR_H_

#include <cstring>
#include <new>

namespace perf2x {

// Memory for RapidJSON (its concept Allocator). With its own allocator its
// writers write to a null pointer when there is no memory left.
class JsonAllocator {
 public:
  static constexpr bool kNeedFree = true;
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
