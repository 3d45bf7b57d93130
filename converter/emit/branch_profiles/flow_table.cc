// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/branch_profiles/flow_table.h"

namespace perf2x {

Flow* FlowTable::EmptySlot(uint64_t hash) {
  size_t i = At(hash);
  while (slots_[i].count != 0) i = (i + 1) & (slots_.size() - 1);
  return &slots_[i];
}

void FlowTable::Grow() {
  Slots old(slots_.size() * 2);
  old.swap(slots_);
  --shift_;
  for (const Flow& flow : old) {
    if (flow.count == 0) continue;
    *EmptySlot(HashOf(flow.source, flow.target, flow.end)) = flow;
  }
}

void FlowTable::Add(uint64_t hash, const Flow& flow) {
  if (++size_ * 8 > slots_.size() * 5) Grow();
  *EmptySlot(hash) = flow;
}

}  // namespace perf2x
