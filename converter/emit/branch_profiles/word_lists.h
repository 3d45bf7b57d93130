// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_BRANCH_PROFILES_WORD_LISTS_H_
#define PERF2X_EMIT_BRANCH_PROFILES_WORD_LISTS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "converter/base/hash.h"

namespace perf2x {

// Distinct lists of 32-bit words, by number. Charges no budget; see memory().
// Not thread-safe.
class WordLists {
 public:
  using Id = uint32_t;
  using List = absl::Span<const uint32_t>;

  // Returns the id of the list; ids count from 0. Adds the list if it is new.
  Id Intern(List list);
  // Returns true if Intern would add nothing.
  bool Has(List list) const { return ids_.contains(HashOf(list)); }
  // Returns a list; valid as long as the object.
  List Get(Id id) const { return lists_[id]; }
  size_t size() const { return lists_.size(); }
  // Returns the approximate memory in bytes.
  uint64_t memory() const {
    constexpr uint64_t kOfList = 64;
    return words_ * sizeof(uint32_t) + lists_.size() * kOfList;
  }

 private:
  static Hash128 HashOf(List list) {
    return HashBytes({reinterpret_cast<const uint8_t*>(list.data()),
                      list.size() * sizeof(uint32_t)});
  }

  std::vector<List> lists_;
  absl::flat_hash_map<Hash128, Id> ids_;
  std::vector<std::unique_ptr<uint32_t[]>> blocks_;
  uint32_t* next_ = nullptr;  // free words of the last block
  size_t left_ = 0;           // their number
  uint64_t words_ = 0;        // of all blocks
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_BRANCH_PROFILES_WORD_LISTS_H_
