// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_PERFETTO_ID_SET_H_
#define PERF2X_EMIT_PERFETTO_ID_SET_H_

#include <cstdint>

#include "absl/container/flat_hash_map.h"

namespace perf2x {

// A set of ids. Memory grows with their number; dense ids take less. Not
// thread-safe.
class IdSet {
 public:
  bool Contains(uint32_t id) const {
    const auto it = words_.find(id / kBits);
    return it != words_.end() && (it->second >> (id % kBits) & 1) != 0;
  }
  // Adds an id. Returns true if it was not in the set.
  bool Insert(uint32_t id) {
    uint64_t& word = words_[id / kBits];
    const uint64_t bit = uint64_t{1} << (id % kBits);
    const bool is_new = (word & bit) == 0;
    word |= bit;
    return is_new;
  }
  // Returns the approximate memory in bytes.
  uint64_t memory() const {
    return words_.capacity() * (sizeof(*words_.begin()) + 1);
  }

 private:
  static constexpr uint32_t kBits = 64;

  absl::flat_hash_map<uint32_t, uint64_t> words_;  // by id / kBits
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_PERFETTO_ID_SET_H_
