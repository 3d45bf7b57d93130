// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_ZEROED_ARRAY_H_
#define PERF2X_BASE_ZEROED_ARRAY_H_

#include <sys/mman.h>

#include <cstddef>
#include <type_traits>

#include "converter/base/out_of_memory.h"

namespace perf2x {

// An array of fixed size whose bytes are zero at first. Its pages are the
// system's own: of a large table, only those that are used take memory and
// time. For tables of many pages. Fails as operator new does.
template <class T>
class ZeroedArray {
  static_assert(std::is_trivial_v<T>);

 public:
  explicit ZeroedArray(size_t size)
      : bytes_(size * sizeof(T)),
        items_(mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    if (items_ == MAP_FAILED) HandleOutOfMemory();
  }
  ~ZeroedArray() { munmap(items_, bytes_); }
  ZeroedArray(const ZeroedArray&) = delete;
  ZeroedArray& operator=(const ZeroedArray&) = delete;

  // Does not check the index.
  T& operator[](size_t i) const { return static_cast<T*>(items_)[i]; }

 private:
  const size_t bytes_;
  void* const items_;
};

}  // namespace perf2x

#endif  // PERF2X_BASE_ZEROED_ARRAY_H_
