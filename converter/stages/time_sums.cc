// SPDX-License-Identifier: Apache-2.0
#include "converter/stages/time_sums.h"

namespace perf2x {

TimeSums::Sum* TimeSums::FindEarlier(const Key& key) {
  const auto it = index_of_.find(key);
  if (it == index_of_.end()) return nullptr;
  latest_[SlotOf(key)] = it->second;
  return &sums_[it->second];
}

TimeSums::Sum& TimeSums::Add(const Key& key) {
  const auto index = static_cast<uint32_t>(sums_.size());
  index_of_.emplace(key, index);
  const size_t slot = SlotOf(key);
  if (slot >= latest_.size()) {
    latest_.resize((size_t{key.thread} + 1) * kTimeStates, kNoId);
  }
  latest_[slot] = index;
  Sum& sum = sums_.emplace_back();
  sum.key = key;
  return sum;
}

}  // namespace perf2x
