// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_PERFETTO_ID_SET_H_
#define PERF2X_EMIT_PERFETTO_ID_SET_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace perf2x {

// A set of ids. Memory is a bit for each id from 0 to the largest one, in pages
// of 512 bytes; a page without an id in the set takes 8 bytes. Not thread-safe.
class IdSet {
 public:
  bool Contains(uint32_t id) const {
    const size_t page = id / kPage;
    return page < pages_.size() && pages_[page] != nullptr &&
           ((*pages_[page])[id % kPage / kBits] >> id % kBits & 1) != 0;
  }
  // Adds an id. Returns true if it was not in the set.
  bool Insert(uint32_t id) {
    const size_t page = id / kPage;
    if (page >= pages_.size()) pages_.resize(page + 1);
    if (pages_[page] == nullptr) {
      pages_[page] = std::make_unique<Page>();
      ++used_;
    }
    uint64_t& word = (*pages_[page])[id % kPage / kBits];
    const uint64_t bit = uint64_t{1} << id % kBits;
    const bool is_new = (word & bit) == 0;
    word |= bit;
    return is_new;
  }
  // Returns the approximate memory in bytes.
  uint64_t memory() const {
    return pages_.capacity() * sizeof(pages_[0]) + used_ * sizeof(Page);
  }

 private:
  static constexpr uint32_t kBits = 64, kPage = 4096;
  using Page = std::array<uint64_t, kPage / kBits>;

  std::vector<std::unique_ptr<Page>> pages_;
  size_t used_ = 0;  // pages with an id
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_PERFETTO_ID_SET_H_
