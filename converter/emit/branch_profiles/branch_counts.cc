// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/branch_profiles/branch_counts.h"

#include "converter/base/saturating_add.h"
#include "converter/model/branch_bound.h"

namespace perf2x {
namespace {

// The lowest address of the kernel's half on the machines that BOLT supports
// (DataAggregator::KernelBaseAddr).
constexpr uint64_t kKernelStart = uint64_t{0xffff8000} << 32;

bool IsInKernel(uint64_t address) { return address >= kKernelStart; }

}  // namespace

BranchCounts::BranchCounts(FallThroughRule rule, CodePlaces& places,
                           Budget& budget, bool on_thread)
    : rule_(rule),
      places_(places),
      budget_(budget),
      memory_(budget),
      counter_(on_thread, budget) {}

void BranchCounts::Add(const Sample& sample) {
  times_ = sample.count;
  if (!sample.branches.empty()) {
    if (sample.branch_choice == BranchChoice::kCallStack) {
      ++dropped_.call_stacks;
    } else {
      AddStack(sample);
    }
  }
  const PlaceId place = places_.PlaceOf(sample.address_space, sample.ip);
  if (place == kOutside) return;
  const auto it = hits_.find(place);
  if (it != hits_.end()) {
    it->second = SaturatingAdd(it->second, times_);
  } else if (budget_.exhausted()) {
    ++dropped_.budget;
  } else {
    constexpr uint64_t kAtOnce = 1024;
    hits_.emplace(place, times_);
    if (hits_.size() % kAtOnce == 0) ChargeMemory();
  }
}

void BranchCounts::Finish() {
  recent_.ForEach([this](Recent& recent) { Flush(&recent.flow); });
  recent_ = {};
  counter_.Finish();
  dropped_.budget += counter_.dropped();
  ChargeMemory();
}

void BranchCounts::ChargeMemory() {
  constexpr uint64_t kOfHit = 48;
  memory_.Set(counter_.memory() + recent_.memory() + hits_.size() * kOfHit +
              places_.memory());
}

// Branches come the latest first. What is known of them is prefetched before
// any of them is touched.
void BranchCounts::AddStack(const Sample& sample) {
  ++samples_with_branches_;
  const bool has_runs = sample.branch_choice == BranchChoice::kAll;
  if (!has_runs) ++dropped_.some_kinds;
  if (recent_.is_crowded()) GrowRecent();
  FindSlots(sample);
  later_ = kernel_later_ = Source();
  const RecentBranches::Slot* slot = slots_.data();
  for (const Branch& branch : sample.branches) {
    Recent& recent = recent_[*slot++];
    if (branch.wrong_path) {
      ++dropped_.wrong_path;
      continue;
    }
    if (!recent.IsOf(sample.address_space, branch)) {
      Replace(sample.address_space, branch, &recent);
    }
    AddBranch(branch, recent, has_runs);
  }
}

// Finds the entries of a sample's branches, and prefetches the places of those
// that are not there.
void BranchCounts::FindSlots(const Sample& sample) {
  slots_.resize(sample.branches.size());
  RecentBranches::Slot* slot = slots_.data();
  uint64_t next_source = 0;
  for (const Branch& branch : sample.branches) {
    *slot++ = recent_.SlotOf(sample.address_space, branch, next_source);
    next_source = branch.source;
  }
  slot = slots_.data();
  for (const Branch& branch : sample.branches) {
    if (recent_[*slot++].IsOf(sample.address_space, branch)) continue;
    places_.Prefetch(sample.address_space, branch.source);
    places_.Prefetch(sample.address_space, branch.target);
  }
}

void BranchCounts::GrowRecent() {
  recent_.ForEach([this](Recent& recent) { Flush(&recent.flow); });
  recent_.GrowEmpty();
}

void BranchCounts::AddBranch(const Branch& branch, Recent& recent,
                             bool has_runs) {
  const bool source_is_outside = recent.source_dso == kNoId;
  const bool target_is_outside = recent.target_dso == kNoId;
  const bool from_kernel = IsInKernel(branch.source);
  const bool to_kernel = IsInKernel(branch.target);
  const bool apart =
      rule_ == FallThroughRule::kPerf2bolt && (from_kernel || to_kernel);
  const Source later = apart ? kernel_later_ : later_;
  kernel_later_ = apart && from_kernel
                      ? Source{recent.flow.source, recent.source_dso}
                      : Source();
  if (apart && (!from_kernel || source_is_outside) &&
      (!to_kernel || target_is_outside)) {
    ++dropped_.kernel;
    return;
  }
  if (source_is_outside && target_is_outside) {
    if (rule_ != FallThroughRule::kLlvmProfgen) later_ = Source();
    return;
  }
  const PlaceId end =
      has_runs ? LaterSource(recent.target_dso, later) : kOutside;
  Count(branch, end, &recent.flow);
  if (!apart) SetLater(recent);
}

// Addresses beyond the limit are not kept, as CodePlaces counts each.
void BranchCounts::Replace(AddressSpaceId space, const Branch& branch,
                           Recent* recent) {
  if (recent->space != kNoId) recent_.NoteReplaced();
  Flush(&recent->flow);
  const auto dso_of = [this](PlaceId place) {
    return place == kOutside ? kNoId : places_.DsoOf(place);
  };
  const uint64_t beyond_limit = places_.beyond_limit();
  recent->source = branch.source;
  recent->target = branch.target;
  recent->flow.source = places_.PlaceOf(space, branch.source);
  recent->flow.target = places_.PlaceOf(space, branch.target);
  recent->source_dso = dso_of(recent->flow.source);
  recent->target_dso = dso_of(recent->flow.target);
  recent->space = places_.beyond_limit() == beyond_limit ? space : kNoId;
}

void BranchCounts::Count(const Branch& branch, PlaceId end, Flow* flow) {
  if (flow->end != end) {
    Flush(flow);
    flow->end = end;
  }
  const bool is_bound = IsOnlyBound(branch);
  if (is_bound && end == kOutside) return;
  flow->count = SaturatingAdd(flow->count, times_);
  if (is_bound) {
    flow->bounds = SaturatingAdd(flow->bounds, times_);
  } else if (branch.mispredicted && flow->mispredicted != ~0u) {
    ++flow->mispredicted;
  }
}

// Counts the flow, and sets its counters to 0.
void BranchCounts::Flush(Flow* flow) {
  if (flow->count == 0) return;
  if (counter_.Add(*flow)) ChargeMemory();
  flow->count = flow->bounds = flow->mispredicted = 0;
}

// Returns the source of the branch after one into `dso`, if it is in the same
// file: `later` or, with kLlvmProfgen, that of later_by_dso_.
PlaceId BranchCounts::LaterSource(DsoId dso, const Source& later) const {
  if (dso == kNoId) return kOutside;
  if (rule_ != FallThroughRule::kLlvmProfgen) {
    return later.dso == dso ? later.place : kOutside;
  }
  if (dso >= later_by_dso_.size()) return kOutside;
  const Later& in_file = later_by_dso_[dso];
  return in_file.sample == samples_with_branches_ ? in_file.source : kOutside;
}

void BranchCounts::SetLater(const Recent& recent) {
  later_ = {recent.flow.source, recent.source_dso};
  if (rule_ != FallThroughRule::kLlvmProfgen) return;
  const auto set = [this](DsoId dso, PlaceId place) {
    if (dso == kNoId) return;
    if (dso >= later_by_dso_.size()) later_by_dso_.resize(dso + 1);
    later_by_dso_[dso] = {samples_with_branches_, place};
  };
  set(recent.target_dso, kOutside);
  set(recent.source_dso, recent.flow.source);
}

}  // namespace perf2x
