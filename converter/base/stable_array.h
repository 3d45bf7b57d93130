// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_STABLE_ARRAY_H_
#define PERF2X_BASE_STABLE_ARRAY_H_

#include <bit>
#include <cstddef>
#include <memory>

namespace perf2x {

// An array whose items never move, nor do its means to find them: while one
// thread appends, others may read all items whose push_back happened before.
// Each chunk of it has twice the items of the one before. operator[] does not
// check its index.
template <class T>
class StableArray {
 public:
  StableArray() = default;
  StableArray(const StableArray&) = delete;
  StableArray& operator=(const StableArray&) = delete;

  T& operator[](size_t i) { return ItemAt(i); }
  const T& operator[](size_t i) const { return ItemAt(i); }
  size_t size() const { return size_; }
  // Returns the memory of the chunks, in bytes.
  size_t memory() const { return memory_; }

  void push_back(const T& item) {
    const size_t place = size_ + kFirst;
    if (std::has_single_bit(place)) {
      chunks_[ChunkOf(place)].reset(new T[place]);
      memory_ += place * sizeof(T);
    }
    ItemAt(size_++) = item;
  }

 private:
  static constexpr size_t kFirst = 1024;  // items of the first chunk

  // A chunk's places begin at the power of two that is its number of items.
  static size_t ChunkOf(size_t place) {
    return static_cast<size_t>(std::bit_width(place | 1) - 1);
  }
  T& ItemAt(size_t i) const {
    const size_t place = i + kFirst;
    return chunks_[ChunkOf(place)][place - std::bit_floor(place)];
  }

  std::unique_ptr<T[]> chunks_[64];
  size_t size_ = 0;
  size_t memory_ = 0;
};

}  // namespace perf2x

#endif  // PERF2X_BASE_STABLE_ARRAY_H_
