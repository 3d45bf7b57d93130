// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_BRANCH_PROFILES_FLOW_TABLE_H_
#define PERF2X_EMIT_BRANCH_PROFILES_FLOW_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "converter/base/hash_seed.h"
#include "converter/base/huge_page_allocator.h"
#include "converter/base/prefetch.h"
#include "converter/emit/branch_profiles/code_places.h"

namespace perf2x {

// A branch, or one with the place up to which the code after it ran through.
struct Flow {
  PlaceId source = kOutside, target = kOutside;
  PlaceId end = kOutside;     // kOutside: only the branch
  uint32_t mispredicted = 0;  // at most 2^32 - 1
  uint64_t count = 0;
};

// Counts distinct flows: a hash table with the counters in its slots, so that
// one prefetch is enough for a look-up. Not thread-safe.
class FlowTable {
 public:
  FlowTable() : slots_(size_t{1} << kFirstBits), shift_(64 - kFirstBits) {}

  static uint64_t HashOf(PlaceId source, PlaceId target, PlaceId end) {
    uint64_t h = (uint64_t{source} << 32 | target) * kHashSeed.odd;
    h ^= h >> 32;
    h = (h + end + kHashSeed.number) * 0xd6e8feb86659fd93u;
    return h ^ h >> 32;
  }
  void Prefetch(uint64_t hash) const { perf2x::Prefetch(&slots_[At(hash)]); }
  // Returns the flow; null if it is new. `hash` is its HashOf.
  Flow* Find(uint64_t hash, PlaceId source, PlaceId target, PlaceId end) {
    for (size_t i = At(hash);; i = (i + 1) & (slots_.size() - 1)) {
      Flow& slot = slots_[i];
      if (slot.count == 0) return nullptr;
      if (slot.source == source && slot.target == target && slot.end == end) {
        return &slot;
      }
    }
  }
  // Adds a flow that Find does not return, with the count 1.
  Flow* Add(uint64_t hash, PlaceId source, PlaceId target, PlaceId end);

  size_t size() const { return size_; }
  // Returns the memory in bytes.
  uint64_t memory() const { return slots_.size() * sizeof(Flow); }
  // Calls `visit` with each flow, in no order.
  template <class F>
  void ForEach(F visit) const {
    for (const Flow& slot : slots_) {
      if (slot.count != 0) visit(slot);
    }
  }

 private:
  static constexpr int kFirstBits = 12;
  using Slots = std::vector<Flow, HugePageAllocator<Flow>>;

  size_t At(uint64_t hash) const {
    return (hash * 0x9e3779b97f4a7c15u) >> shift_;
  }
  void Grow();
  Flow* Place(uint64_t hash);

  Slots slots_;  // open addressing, power of two, at most 5/8 full
  int shift_;    // from a hash to a slot
  size_t size_ = 0;
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_BRANCH_PROFILES_FLOW_TABLE_H_
