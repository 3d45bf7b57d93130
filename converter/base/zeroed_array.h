// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_ZEROED_ARRAY_H_
#define PERF2X_BASE_ZEROED_ARRAY_H_

#include <cstddef>
#include <type_traits>
#include <utility>

namespace perf2x {

// Memory whose bytes are zero until they are written. From 4 MiB on, it grows
// without a copy, as its pages are moved, and is in huge pages if the system
// has them; pages that were never touched take no memory. Smaller memory begins
// at a cache line. Fails as operator new does. Not thread-safe.
class ZeroedMemory {
 public:
  ZeroedMemory() = default;
  ~ZeroedMemory();
  ZeroedMemory(ZeroedMemory&& other) noexcept { *this = std::move(other); }
  ZeroedMemory& operator=(ZeroedMemory&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }

  // Makes size() at least `size`, in bytes. Keeps the contents; further bytes
  // are zero. May change data().
  void Grow(size_t size);

  void* data() const { return data_; }
  size_t size() const { return size_; }

 private:
  bool mapped() const;

  void* data_ = nullptr;
  size_t size_ = 0;
};

// An array in ZeroedMemory: the bytes of an item are zero until it is written.
// operator[] does not check its index. Not thread-safe.
template <class T>
class ZeroedArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  ZeroedArray() = default;
  explicit ZeroedArray(size_t size) { Grow(size); }

  // Makes size() `size`, unless it is more already. Items may move.
  void Grow(size_t size) {
    if (size <= size_) return;
    memory_.Grow(size * sizeof(T));
    size_ = size;
  }
  // Frees all items.
  void Clear() {
    memory_ = ZeroedMemory();
    size_ = 0;
  }

  T& operator[](size_t i) { return static_cast<T*>(memory_.data())[i]; }
  const T& operator[](size_t i) const {
    return static_cast<const T*>(memory_.data())[i];
  }
  size_t size() const { return size_; }

 private:
  ZeroedMemory memory_;
  size_t size_ = 0;
};

}  // namespace perf2x

#endif  // PERF2X_BASE_ZEROED_ARRAY_H_
