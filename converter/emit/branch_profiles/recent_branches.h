// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_BRANCH_PROFILES_RECENT_BRANCHES_H_
#define PERF2X_EMIT_BRANCH_PROFILES_RECENT_BRANCHES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "converter/base/huge_page_allocator.h"
#include "converter/base/prefetch.h"
#include "converter/emit/branch_profiles/flow_table.h"
#include "converter/model/emitter.h"
#include "converter/model/model.h"

namespace perf2x {

// The branches that were lately counted, by their run-time addresses: most
// branches of a recording are in loops. A new branch takes the slot of another.
// Not thread-safe.
class RecentBranches {
 public:
  // One cache line.
  struct alignas(kCacheLine) Entry {
    uint64_t source = 0, target = 0;               // run-time addresses
    AddressSpaceId space = kNoId;                  // kNoId: no branch
    DsoId source_dso = kNoId, target_dso = kNoId;  // kNoId: outside
    // The places of the addresses, and what was counted since the entry's
    // branch was counted elsewhere.
    Flow flow;

    bool IsOf(AddressSpaceId branch_space, const Branch& branch) const {
      return source == branch.source && target == branch.target &&
             space == branch_space;
    }
  };
  using Slot = uint32_t;

  RecentBranches() : entries_(size_t{1} << kFirstBits) {}

  // Returns the slot in which a branch is, if it is in any, and prefetches it.
  // `next_source` is the source of the branch after it, or 0: a branch to which
  // different ones come next, as a return, has several slots. Slots do not
  // depend on kHashSeed: they decide when a branch is counted elsewhere, and so
  // what is dropped when the budget is exhausted. Branches that were made to
  // meet cost time alone, as each would without slots.
  Slot SlotOf(AddressSpaceId space, const Branch& branch,
              uint64_t next_source) const {
    const uint64_t mixed = (branch.source + space) * 0xa0761d6478bd642fu +
                           branch.target * 0xd6e8feb86659fd93u +
                           next_source * 0x9e3779b97f4a7c15u;
    const auto slot = static_cast<Slot>(mixed >> shift_);
    PrefetchForWriting(&entries_[slot]);
    return slot;
  }
  // Returns the entry in a slot, maybe that of another branch.
  Entry& operator[](Slot slot) { return entries_[slot]; }

  // To be called when an entry's branch was replaced by another.
  void NoteReplaced() { ++replaced_; }
  // Returns true if GrowEmpty would avoid that entries keep being replaced.
  bool is_crowded() const {
    return replaced_ > entries_.size() && shift_ > 64 - kMaxBits;
  }
  // Makes the table larger, and removes all entries. Slots become invalid.
  void GrowEmpty() {
    const size_t size = entries_.size() * 2;
    entries_ = {};
    entries_.resize(size);
    --shift_;
    replaced_ = 0;
  }
  // Calls `visit(entry)` for each entry.
  template <class F>
  void ForEach(F visit) {
    for (Entry& entry : entries_) visit(entry);
  }
  // Returns the memory in bytes.
  uint64_t memory() const { return entries_.size() * sizeof(Entry); }

 private:
  static constexpr int kFirstBits = 10, kMaxBits = 16;

  std::vector<Entry, HugePageAllocator<Entry>> entries_;
  int shift_ = 64 - kFirstBits;  // from a hash to a slot
  size_t replaced_ = 0;          // since the table has its size
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_BRANCH_PROFILES_RECENT_BRANCHES_H_
