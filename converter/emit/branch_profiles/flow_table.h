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

// A branch and, if `end` is set, the run after it: the code from the branch's
// target to the instruction at `end`.
struct Flow {
  PlaceId source = kOutside, target = kOutside;
  PlaceId end = kOutside;     // kOutside: only the branch
  uint32_t mispredicted = 0;  // how often; at most 2^32 - 1
  uint64_t count = 0;         // how often; not 0 in a table
  // How often of these it was only a bound of the run (IsOnlyBound).
  uint64_t bounds = 0;

  // Return how often the branch was taken, and how often the run ran.
  uint64_t taken() const { return count - bounds; }
  uint64_t runs() const { return end == kOutside ? 0 : count; }
};

// A hash table of the distinct flows of a recording. A slot contains the
// counters, so one prefetch is enough for a look-up. Charges no budget; see
// memory(). Not thread-safe.
class FlowTable {
 public:
  FlowTable() : slots_(size_t{1} << kFirstBits), shift_(64 - kFirstBits) {}

  // Returns the hash of a flow for the functions below. Differs between
  // processes.
  static uint64_t HashOf(PlaceId source, PlaceId target, PlaceId end) {
    uint64_t h = (uint64_t{source} << 32 | target) * kHashSeed.odd;
    h ^= h >> 32;
    h = (h + end + kHashSeed.number) * 0xd6e8feb86659fd93u;
    return h ^ h >> 32;
  }
  // Prefetches the slot of this hash for Find and Add.
  void Prefetch(uint64_t hash) const { PrefetchForWriting(&slots_[At(hash)]); }
  // Returns the flow; null if it is not in the table. The caller may change its
  // counters. `hash` must be its HashOf. Valid until the next Add.
  Flow* Find(uint64_t hash, PlaceId source, PlaceId target, PlaceId end) {
    for (size_t i = At(hash);; i = (i + 1) & (slots_.size() - 1)) {
      Flow& slot = slots_[i];
      if (slot.count == 0) return nullptr;
      if (slot.source == source && slot.target == target && slot.end == end) {
        return &slot;
      }
    }
  }
  // Adds a flow, whose count is not 0. Requires that Find returned null for it.
  void Add(uint64_t hash, const Flow& flow);

  size_t size() const { return size_; }
  // Returns the memory in bytes.
  uint64_t memory() const { return slots_.size() * sizeof(Flow); }
  // Calls `visit(flow)` for each flow, in no order.
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
  // Returns the empty slot for a flow that is not in the table.
  Flow* EmptySlot(uint64_t hash);

  Slots slots_;  // open addressing, power of two, at most 5/8 full
  int shift_;    // from a hash to a slot
  size_t size_ = 0;
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_BRANCH_PROFILES_FLOW_TABLE_H_
