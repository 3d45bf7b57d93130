// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_STABLE_ARRAY_H_
#define PERF2X_BASE_STABLE_ARRAY_H_

#include <bit>
#include <cstddef>
#include <iterator>
#include <memory>
#include <utility>

#include "converter/base/huge_page_allocator.h"

namespace perf2x {

// An array whose items never move, nor do its means to find them: while one
// thread appends, others may read all items whose push_back happened before.
// Only the thread that appends may call the functions that depend on size().
// The first chunk has kFirst items, a power of two; each of the others has as
// many as all before it. operator[] does not check its index.
template <class T, size_t kFirst = 1024>
class StableArray {
 public:
  // Reads items in order. Valid as long as the array.
  class Iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using pointer = const T*;
    using reference = const T&;

    Iterator() = default;
    Iterator(const StableArray* array, size_t at) : array_(array), at_(at) {}
    const T& operator*() const { return (*array_)[at_]; }
    const T* operator->() const { return &(*array_)[at_]; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    Iterator operator++(int) { return {array_, at_++}; }
    friend difference_type operator-(Iterator a, Iterator b) {
      return static_cast<difference_type>(a.at_ - b.at_);
    }
    friend bool operator==(const Iterator&, const Iterator&) = default;

   private:
    const StableArray* array_ = nullptr;
    size_t at_ = 0;
  };
  using value_type = T;

  StableArray() = default;
  ~StableArray() {
    while (size_ > 0) std::destroy_at(&ItemAt(--size_));
    for (size_t chunk = 0; chunk < kChunks; ++chunk) {
      if (chunks_[chunk] == nullptr) continue;
      HugePageAllocator<T>().deallocate(chunks_[chunk], ItemsOf(chunk));
    }
  }
  StableArray(const StableArray&) = delete;
  StableArray& operator=(const StableArray&) = delete;

  T& operator[](size_t i) { return ItemAt(i); }
  const T& operator[](size_t i) const { return ItemAt(i); }
  T& back() { return ItemAt(size_ - 1); }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, size_}; }
  // Returns the index of an item of this array.
  size_t IndexOf(const T& item) const {
    size_t chunk = 0;
    while (&item < chunks_[chunk] || &item >= chunks_[chunk] + ItemsOf(chunk)) {
      ++chunk;
    }
    return ItemsOf(chunk) - kFirst +
           static_cast<size_t>(&item - chunks_[chunk]);
  }
  // Returns the memory of the chunks, in bytes.
  size_t memory() const { return memory_; }

  void push_back(T item) {
    const size_t place = size_ + kFirst;
    if (std::has_single_bit(place)) AddChunk(ChunkOf(place));
    std::construct_at(&ItemAt(size_), std::move(item));
    ++size_;
  }

 private:
  static_assert(std::has_single_bit(kFirst));
  static constexpr size_t kFirstBits = std::bit_width(kFirst) - 1;
  static constexpr size_t kChunks = 64 - kFirstBits;

  // A chunk's places begin at the power of two that is its number of items.
  static size_t ChunkOf(size_t place) {
    return static_cast<size_t>(std::bit_width(place | kFirst)) - 1 - kFirstBits;
  }
  static size_t ItemsOf(size_t chunk) { return kFirst << chunk; }
  T& ItemAt(size_t i) const {
    const size_t place = i + kFirst;
    const size_t chunk = ChunkOf(place);
    return chunks_[chunk][place - ItemsOf(chunk)];
  }
  void AddChunk(size_t chunk) {
    chunks_[chunk] = HugePageAllocator<T>().allocate(ItemsOf(chunk));
    memory_ += ItemsOf(chunk) * sizeof(T);
  }

  T* chunks_[kChunks] = {};
  size_t size_ = 0;
  size_t memory_ = 0;
};

}  // namespace perf2x

#endif  // PERF2X_BASE_STABLE_ARRAY_H_
