// SPDX-License-Identifier: Apache-2.0
#include "converter/model/frame_table.h"

#include "converter/base/open_addressing.h"

namespace perf2x {

FrameTable::FrameTable() : slots_(kFirstSlots), mask_(kFirstSlots - 1) {}

FrameId FrameTable::Add(size_t at, DsoId dso, MappingId mapping,
                        uint64_t address) {
  const auto id = static_cast<FrameId>(frames_.size());
  slots_[at] = {address, dso, ~id};
  frames_.push_back({dso, mapping, address});
  if (frames_.size() * 5 > slots_.size() * 4) Grow();
  return id;
}

void FrameTable::Grow() {
  mask_ = slots_.size() * 2 - 1;
  DoubleSlots(&slots_, [this](const Slot& slot) {
    return FirstOf(HashOf(slot.dso, slot.address));
  });
}

}  // namespace perf2x
