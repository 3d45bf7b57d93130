// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_HTML_STEP_TABLE_H_
#define PERF2X_EMIT_HTML_STEP_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "converter/base/hash_seed.h"
#include "converter/base/huge_page_allocator.h"
#include "converter/base/prefetch.h"

namespace perf2x {

// The edges of a tree: a hash table from a parent's id and a step to a child's
// id. A step is the number by which a parent distinguishes its children.
// Charges no budget. Not thread-safe.
class StepTable {
 public:
  StepTable() : slots_(kFirstSlots) {}

  // Prefetches the slot for a later FindOrAdd.
  void Prefetch(uint32_t parent, uint32_t step) const {
    perf2x::Prefetch(&slots_[FirstOf(KeyOf(parent, step))]);
  }
  // Returns the child of `parent` by `step`. If there is none, adds `next` as
  // the child and returns `next`, which must be less than 2^32 - 1.
  uint32_t FindOrAdd(uint32_t parent, uint32_t step, uint32_t next) {
    const uint64_t key = KeyOf(parent, step);
    const size_t mask = slots_.size() - 1;
    size_t at = FirstOf(key);
    for (; slots_[at].child != kNone; at = (at + 1) & mask) {
      if (slots_[at].key == key) return slots_[at].child;
    }
    slots_[at] = {key, next};
    if (++used_ * 2 > slots_.size()) Grow();
    return next;
  }
  uint64_t memory() const { return slots_.size() * sizeof(Slot); }  // in bytes

 private:
  static constexpr size_t kFirstSlots = 1024;
  static constexpr uint32_t kNone = ~0u;
  struct Slot {
    uint64_t key = 0;
    uint32_t child = kNone;
  };
  using Slots = std::vector<Slot, HugePageAllocator<Slot>>;

  static uint64_t KeyOf(uint32_t parent, uint32_t step) {
    return uint64_t{parent} << 32 | step;
  }
  size_t FirstOf(uint64_t key) const {
    uint64_t h = (key ^ kHashSeed.number) * kHashSeed.odd;
    h ^= h >> 32;
    return (h * 0xd6e8feb86659fd93u) >> shift_;
  }
  void Grow() {
    Slots old(slots_.size() * 2);
    old.swap(slots_);
    --shift_;
    const size_t mask = slots_.size() - 1;
    for (const Slot& slot : old) {
      if (slot.child == kNone) continue;
      size_t at = FirstOf(slot.key);
      while (slots_[at].child != kNone) at = (at + 1) & mask;
      slots_[at] = slot;
    }
  }

  Slots slots_;     // open addressing, power of two
  int shift_ = 54;  // from a hash to a slot of kFirstSlots
  size_t used_ = 0;
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_HTML_STEP_TABLE_H_
