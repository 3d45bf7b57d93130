// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_CHUNKED_H_
#define PERF2X_BASE_CHUNKED_H_

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "converter/base/huge_page_allocator.h"

namespace perf2x {

// An array that grows in chunks of 2^18 items: items never move. operator[]
// does not check its index. FreeBelow may run while other threads use the items
// that remain. push_back and GrowTo must not run while other threads use the
// array.
template <class T>
class Chunked {
 public:
  T& operator[](uint32_t i) { return chunks_[i >> kShift][i & kMask]; }
  const T& operator[](uint32_t i) const {
    return chunks_[i >> kShift][i & kMask];
  }
  uint32_t size() const { return size_; }

  void push_back(const T& item) {
    if ((size_ & kMask) == 0) AddChunk();
    chunks_.back().push_back(item);
    ++size_;
  }
  // Appends T() until the array has at least `size` items.
  void GrowTo(uint32_t size) {
    while (size_ < size) push_back(T());
  }
  // Frees the chunks that lie wholly below index `end`. No item below `end` may
  // be used any more. Does not change size(). Requires `end` <= size().
  void FreeBelow(uint32_t end) {
    for (; forgotten_ < end >> kShift; ++forgotten_) {
      Chunk().swap(chunks_[forgotten_]);
    }
  }

 private:
  using Chunk = std::vector<T, HugePageAllocator<T>>;
#ifdef PERF2X_SANITIZED  // which marks each byte of a chunk
  static constexpr int kShift = 12;
#else
  static constexpr int kShift = 18;
#endif
  static constexpr uint32_t kMask = (1u << kShift) - 1;
  static constexpr size_t kSmallPages = size_t{2} << 20;  // bytes

  void AddChunk() {
    Chunk chunk;
    chunk.reserve(size_t{kMask} + 1);
    // Few items should not take a huge page.
    if (size_ == 0) {
      madvise(chunk.data(), std::min(chunk.capacity() * sizeof(T), kSmallPages),
              MADV_NOHUGEPAGE);
    }
    chunks_.push_back(std::move(chunk));
  }

  std::vector<Chunk> chunks_;
  uint32_t size_ = 0;
  uint32_t forgotten_ = 0;  // chunks that were freed
};

}  // namespace perf2x

#endif  // PERF2X_BASE_CHUNKED_H_
