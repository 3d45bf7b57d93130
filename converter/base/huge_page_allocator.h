// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_HUGE_PAGE_ALLOCATOR_H_
#define PERF2X_BASE_HUGE_PAGE_ALLOCATOR_H_

#include <sys/mman.h>

#include <cstddef>
#include <new>

#include "converter/base/prefetch.h"

namespace perf2x {

// An allocator for large tables that are read at random places. Asks the system
// for huge pages if a table has 4 MiB or more: with small pages, most look-ups
// would cause a TLB miss. Smaller tables begin at a cache line. Fails as
// operator new does.
template <class T>
struct HugePageAllocator {
  using value_type = T;
  HugePageAllocator() = default;
  template <class U>
  explicit HugePageAllocator(const HugePageAllocator<U>&) {}

  // As C++ requires of an allocator. `n` counts items.
  T* allocate(size_t n) {
    const size_t bytes = n * sizeof(T);
    const bool huge = bytes >= 2 * kHuge;
    void* memory = ::operator new(bytes, AlignmentOf(bytes));
    if (huge) madvise(memory, bytes, MADV_HUGEPAGE);
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, size_t n) {
    ::operator delete(memory, AlignmentOf(n * sizeof(T)));
  }
  friend bool operator==(const HugePageAllocator&, const HugePageAllocator&) {
    return true;
  }

 private:
  static constexpr size_t kHuge = 2 << 20;
  static std::align_val_t AlignmentOf(size_t bytes) {
    return std::align_val_t(bytes >= 2 * kHuge ? kHuge : kCacheLine);
  }
};

}  // namespace perf2x

#endif  // PERF2X_BASE_HUGE_PAGE_ALLOCATOR_H_
