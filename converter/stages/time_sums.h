// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_STAGES_TIME_SUMS_H_
#define PERF2X_STAGES_TIME_SUMS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "converter/base/huge_page_allocator.h"
#include "converter/model/model.h"
#include "converter/model/sample_tags.h"
#include "converter/stages/thread_time.h"

namespace perf2x {

// Sums of stretches that differ only in their times, in the order in which they
// were added. A few stretches wait until the memory of their sums is in the
// processor's cache. Charges no budget; see memory(). Not thread-safe.
class TimeSums {
 public:
  // What all stretches of a sum have in common.
  struct Key {
    ThreadId thread = 0;
    TagsId tags = 0;
    StackId stack = kNoId;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct alignas(32) Sum {
    uint64_t duration = 0;        // ns; saturates
    uint64_t count : 56 = 0;      // number of stretches
    uint64_t state_bits : 8 = 0;  // a TimeState
    Key key;
    TimeState state() const { return static_cast<TimeState>(state_bits); }
  };
  static_assert(sizeof(Sum) == 32);  // two to a cache line

  // Adds a stretch of `duration` ns to the sum with this key, which is new if
  // there is none. `state` must follow from the key.
  void Add(const Key& key, TimeState state, uint64_t duration);
  // As Add, but returns false and does nothing if there is no sum with this
  // key.
  bool AddIfKnown(const Key& key, uint64_t duration);

  // Returns all sums, in the order in which they were added. Valid until the
  // next call of another function.
  const std::vector<Sum, HugePageAllocator<Sum>>& Sums() {
    AddWaiting();
    return sums_;
  }
  // Returns the approximate memory in bytes.
  uint64_t memory() const {
    return sums_.capacity() * sizeof(Sum) + slots_.size() * sizeof(Slot);
  }

 private:
  struct Waiting {
    Key key;
    TimeState state;
    uint32_t hash;
    uint64_t duration;
  };
  // An entry of the hash table.
  struct Slot {
    uint32_t hash = 0;
    uint32_t sum = kNoId;  // index in sums_; kNoId: free
  };
  static constexpr size_t kWaiting = 32;

  static uint32_t HashOf(const Key& key);
  void AddWaiting();
  void AddNow(const Waiting& stretch);
  // Returns the slot of the sum with this key, or the free one where it
  // belongs. At least one slot must be free.
  Slot& Find(const Key& key, uint32_t hash);
  void PrefetchSum(uint32_t hash) const;
  void Grow();

  std::vector<Sum, HugePageAllocator<Sum>> sums_;
  using Slots = std::vector<Slot, HugePageAllocator<Slot>>;
  Slots slots_ = Slots(64);  // a power of two, at most half of them are used
  std::array<Waiting, kWaiting> waiting_;  // a ring
  size_t first_ = 0, size_ = 0;            // of the ring
};

}  // namespace perf2x

#endif  // PERF2X_STAGES_TIME_SUMS_H_
