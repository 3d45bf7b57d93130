// SPDX-License-Identifier: Apache-2.0
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

#include "absl/base/optimization.h"

// The program's operator new, which asks the system for huge pages where a
// block has room for one. Tables of large recordings take hundreds of
// megabytes, and a page fault for each 4 KB of them took a tenth of the time.

namespace {

constexpr size_t kHugePage = size_t{2} << 20;

void AskForHugePages(void* block, size_t size) {
  constexpr uintptr_t kPage = 4096;
  const auto at = reinterpret_cast<uintptr_t>(block);
  const uintptr_t begin = (at + kPage - 1) & ~(kPage - 1);
  // A failure costs nothing but speed; neither does a system with larger pages.
  madvise(reinterpret_cast<void*>(begin), at + size - begin, MADV_HUGEPAGE);
}

}  // namespace

void* operator new(size_t size) {
  for (;;) {
    void* const block = std::malloc(size == 0 ? 1 : size);
    if (ABSL_PREDICT_TRUE(block != nullptr)) {
      if (ABSL_PREDICT_FALSE(size >= kHugePage)) AskForHugePages(block, size);
      return block;
    }
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}

void operator delete(void* block) noexcept { std::free(block); }
void operator delete(void* block, size_t) noexcept { std::free(block); }
