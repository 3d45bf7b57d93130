// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_STAGES_TIME_SUMS_H_
#define PERF2X_STAGES_TIME_SUMS_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "converter/model/model.h"
#include "converter/model/sample_tags.h"
#include "converter/stages/thread_times.h"

namespace perf2x {

// Sums of stretches that differ only in their times, in the order in which they
// were added. Charges no budget; see memory(). Not thread-safe.
class TimeSums {
 public:
  // What all stretches of a sum have in common.
  struct Key {
    ThreadId thread = 0;
    TimeState state = TimeState::kUnknown;
    TagsId tags = 0;
    StackId stack = kNoId;   // ThreadTime::stack
    uint32_t marks = kNoId;  // MarkedStacks::MarksId; kNoId: none
    friend bool operator==(const Key&, const Key&) = default;
    template <class H>
    friend H AbslHashValue(H h, const Key& k) {
      return H::combine(std::move(h), k.thread, k.state, k.tags, k.stack,
                        k.marks);
    }
  };
  struct Sum {
    Key key;
    StackId marked_stack = kNoId;  // `stack` with `marks`; set by the owner
    uint64_t duration = 0;         // ns; saturates
    uint64_t count = 0;            // number of stretches
  };

  // Returns the sum with this key; null if there is none. Valid until the next
  // Add.
  Sum* Find(const Key& key) {
    const size_t slot = SlotOf(key);
    if (slot >= latest_.size()) return nullptr;
    const uint32_t latest = latest_[slot];
    if (latest != kNoId && sums_[latest].key == key) return &sums_[latest];
    return FindEarlier(key);
  }
  // Adds an empty sum. There must be none with this key. Valid until the next
  // Add.
  Sum& Add(const Key& key);

  // Returns all sums, in the order in which they were added.
  const std::vector<Sum>& sums() const { return sums_; }
  // Returns the approximate memory in bytes.
  uint64_t memory() const {
    constexpr uint64_t kOfIndex = 28;
    return sums_.capacity() * sizeof(Sum) + index_of_.capacity() * kOfIndex +
           latest_.capacity() * sizeof(latest_[0]);
  }

 private:
  static size_t SlotOf(const Key& key) {
    return size_t{key.thread} * kTimeStates + static_cast<size_t>(key.state);
  }
  Sum* FindEarlier(const Key& key);

  std::vector<Sum> sums_;
  absl::flat_hash_map<Key, uint32_t> index_of_;  // in sums_
  // Index of the sum that was used last, by thread and state; kNoId: none. Most
  // stretches of a thread in one state belong to one sum.
  std::vector<uint32_t> latest_;
};

}  // namespace perf2x

#endif  // PERF2X_STAGES_TIME_SUMS_H_
