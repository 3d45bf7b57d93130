// SPDX-License-Identifier: Apache-2.0
#include "converter/model/frame_table.h"

namespace perf2x {
namespace {

constexpr int kFirstBits = 8;

}  // namespace

FrameTable::FrameTable()
    : slots_(size_t{1} << kFirstBits), shift_(64 - kFirstBits + 2) {}

FrameId FrameTable::Add(size_t at, DsoId dso, MappingId mapping,
                        uint64_t address) {
  const auto id = static_cast<FrameId>(frames_.size());
  slots_[at] = {address, dso, id};
  frames_.push_back({dso, mapping, address});
  if (frames_.size() * 5 > slots_.size() * 4) Grow();
  return id;
}

void FrameTable::Grow() {
  std::vector<Slot, HugePageAllocator<Slot>> old(slots_.size() * 2);
  old.swap(slots_);
  --shift_;
  const size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.frame == kNoId) continue;
    size_t at = FirstOf(HashOf(slot.dso, slot.address));
    while (slots_[at].frame != kNoId) at = (at + 1) & mask;
    slots_[at] = slot;
  }
}

}  // namespace perf2x
