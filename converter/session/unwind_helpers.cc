// SPDX-License-Identifier: Apache-2.0
#include "converter/session/unwind_helpers.h"

#include <utility>

namespace perf2x {

bool UnwindHelper::Append(const UnwindInput& input,
                          std::vector<uint64_t>* chain,
                          UnwindOutcome* unwound) {
  if (input.abi >= abis_.size()) return false;
  const UserStacks::CfiSnapshots::ForAbi& known = known_.abis[input.abi];
  if (known.cfi == nullptr) return false;
  ForAbi& by = abis_[input.abi];
  by.tables.BeginStack(known.cfi);
  if (!by.unwinder.has_value()) by.unwinder.emplace(*known.machine, by.tables);
  *unwound = AppendUnwound(input, *known.machine, *by.unwinder, chain);
  return !by.tables.missed();
}

std::unique_ptr<UnwindHelper> UnwindHelpers::Acquire() {
  std::lock_guard lock(mutex_);
  std::unique_ptr<UnwindHelper> helper;
  if (idle_.empty()) {
    helper = std::make_unique<UnwindHelper>();
  } else {
    helper = std::move(idle_.back());
    idle_.pop_back();
  }
  helper->SetCfi(known_);
  return helper;
}

void UnwindHelpers::Release(std::unique_ptr<UnwindHelper> helper) {
  std::lock_guard lock(mutex_);
  idle_.push_back(std::move(helper));
}

void UnwindHelpers::Update(const UserStacks& stacks, size_t missed) {
  // To copy some hundred rows takes as long as to unwind a stack.
  constexpr size_t kRowsPerStack = 256;
  missed_ += missed;
  if (missed_ == 0 || missed_ < stacks.cfi_rows() / kRowsPerStack) return;
  missed_ = 0;
  UserStacks::CfiSnapshots known = stacks.SnapshotCfi(known_);
  std::lock_guard lock(mutex_);
  std::swap(known_, known);
}

}  // namespace perf2x
