// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/branch_profiles/context_samples.h"

#include <utility>

#include "converter/base/saturating_add.h"
#include "converter/model/branch_bound.h"

namespace perf2x {
namespace {

bool IsKernelCode(const Dso& dso) {
  return dso.kind == DsoKind::kKernel || dso.kind == DsoKind::kKernelModule;
}

}  // namespace

void ContextSamples::Add(const Sample& sample) {
  if (sample.branches.empty() || sample.branch_choice != BranchChoice::kAll) {
    return;
  }
  SetBranches(sample);
  if (branches_.empty()) return;
  SetStack(sample.stack);
  constexpr uint64_t kAtOnce = 1 << 14;
  work_ += frames_.size();
  if (work_ > kAtOnce) budget_.Spend(Budget::kWork, std::exchange(work_, 0));
  const bool exhausted = budget_.exhausted();
  if (exhausted && !(lists_.Has(stack_) && lists_.Has(branches_))) {
    ++skipped_;
    return;
  }
  const std::pair key(lists_.Intern(stack_), lists_.Intern(branches_));
  const auto it = known_.find(key);
  if (it != known_.end()) {
    uint64_t& count = groups_[it->second].count;
    count = SaturatingAdd(count, sample.count);
  } else if (exhausted) {
    ++skipped_;
  } else {
    known_.emplace(key, groups_.size());
    groups_.push_back({key.first, key.second, sample.count});
    has_callers_ = has_callers_ || stack_.size() > 1;
    constexpr uint64_t kOfGroup = 56;
    memory_.Set(lists_.memory() + groups_.size() * kOfGroup);
  }
}

void ContextSamples::SetBranches(const Sample& sample) {
  branches_.clear();
  for (const Branch& branch : sample.branches) {
    if (branch.wrong_path) continue;
    const PlaceId source = places_.PlaceOf(sample.address_space, branch.source);
    const PlaceId target = places_.PlaceOf(sample.address_space, branch.target);
    if (source == kOutside && target == kOutside) continue;
    branches_.insert(branches_.end(), {source, target});
    if (IsOnlyBound(branch)) {
      branches_.insert(branches_.end(), {kOutside, kOutside});
    }
  }
}

// What follows code of the kernel is the interrupted instruction. A call is
// before it, if at all.
void ContextSamples::SetStack(StackId stack) {
  frames_.clear();
  tables_.AppendPlaces(stack, &frames_);
  stack_.clear();
  bool in_kernel = false;
  for (size_t i = 0; i < frames_.size(); ++i) {
    const FramePlace& frame = frames_[i];
    const bool was_in_kernel =
        std::exchange(in_kernel, IsKernelCode(tables_.dsos()[frame.dso]));
    const bool interrupted = was_in_kernel && !in_kernel;
    const PlaceId place =
        places_.PlaceIn(frame.dso, frame.address - (interrupted ? 1 : 0));
    if (place != kOutside || stack_.empty() || stack_.back() != kOutside) {
      stack_.push_back(place);
    }
  }
}

}  // namespace perf2x
