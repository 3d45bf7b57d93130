// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/branch_profiles/word_lists.h"

#include <algorithm>

namespace perf2x {

WordLists::Id WordLists::Intern(List list) {
  const auto [it, inserted] =
      ids_.try_emplace(HashOf(list), static_cast<Id>(lists_.size()));
  if (!inserted) return it->second;
  constexpr size_t kFirst = 1 << 8, kMax = 1 << 16;
  if (left_ < list.size()) {
    left_ = std::max(list.size(), std::clamp<size_t>(words_, kFirst, kMax));
    blocks_.push_back(std::make_unique<uint32_t[]>(left_));
    words_ += left_;
    next_ = blocks_.back().get();
  }
  std::copy(list.begin(), list.end(), next_);
  lists_.emplace_back(next_, list.size());
  next_ += list.size();
  left_ -= list.size();
  return it->second;
}

}  // namespace perf2x
