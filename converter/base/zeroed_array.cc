// SPDX-License-Identifier: Apache-2.0
#include "converter/base/zeroed_array.h"

#include <sys/mman.h>

#include <cstdint>
#include <cstring>
#include <new>

#include "converter/base/out_of_memory.h"
#include "converter/base/prefetch.h"

namespace perf2x {
namespace {

constexpr size_t kHugePage = size_t{2} << 20;
constexpr size_t kMapped = 2 * kHugePage;  // the least size that is mapped
constexpr std::align_val_t kAlignment{kCacheLine};

// Maps `size` bytes from an address that is a multiple of a huge page's size,
// as `size` must be.
char* MapAligned(size_t size) {
  void* const mapped = mmap(nullptr, size + kHugePage, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) HandleOutOfMemory();
  char* const begin = static_cast<char*>(mapped);
  const size_t before = -reinterpret_cast<uintptr_t>(begin) % kHugePage;
  if (before > 0) munmap(begin, before);
  munmap(begin + before + size, kHugePage - before);
  return begin + before;
}

}  // namespace

ZeroedMemory::~ZeroedMemory() {
  if (mapped()) {
    munmap(data_, size_);
  } else {
    ::operator delete(data_, kAlignment);
  }
}

bool ZeroedMemory::mapped() const { return size_ >= kMapped; }

void ZeroedMemory::Grow(size_t size) {
  if (size <= size_) return;
  ZeroedMemory grown;
  if (size < kMapped) {
    grown.data_ = ::operator new(size, kAlignment);
    grown.size_ = size;
    std::memset(static_cast<char*>(grown.data_) + size_, 0, size - size_);
  } else {
    const size_t mapped_size = (size + kHugePage - 1) / kHugePage * kHugePage;
    grown.data_ = MapAligned(mapped_size);
    grown.size_ = mapped_size;
    // A failure costs nothing but speed.
    madvise(grown.data_, grown.size_, MADV_HUGEPAGE);
  }
  if (mapped()) {
    if (mremap(data_, size_, grown.size_, MREMAP_MAYMOVE | MREMAP_FIXED,
               grown.data_) == MAP_FAILED) {
      HandleOutOfMemory();
    }
    data_ = nullptr;
    size_ = 0;
  } else if (size_ > 0) {
    std::memcpy(grown.data_, data_, size_);
  }
  *this = std::move(grown);
}

}  // namespace perf2x
