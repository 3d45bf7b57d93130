// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/branch_profiles/branch_counts.h"

#include "converter/model/branch_bound.h"

namespace perf2x {
namespace {

// The lowest address of the kernel's half on the machines that BOLT supports
// (DataAggregator::KernelBaseAddr).
constexpr uint64_t kKernelStart = uint64_t{0xffff8000} << 32;

bool IsInKernel(uint64_t address) { return address >= kKernelStart; }

}  // namespace

BranchCounts::BranchCounts(FallThroughRule rule, CodePlaces& places,
                           Budget& budget)
    : rule_(rule), places_(places), budget_(budget), memory_(budget) {}

void BranchCounts::Add(const Sample& sample) {
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
    ++it->second;
  } else if (HasRoom()) {
    hits_.emplace(place, 1);
  }
}

// Returns true if the tables may have another entry, which it accounts for.
bool BranchCounts::HasRoom() {
  constexpr uint64_t kOfHit = 48, kAtOnce = 1024;
  if (budget_.exhausted()) {
    ++dropped_.budget;
    return false;
  }
  if (++added_ % kAtOnce == 0) {
    memory_.Set(taken_.memory() + runs_.memory() + hits_.size() * kOfHit +
                places_.memory());
  }
  return true;
}

// Branches come the latest first. Their counters are prefetched before any of
// them is touched.
void BranchCounts::AddStack(const Sample& sample) {
  ++samples_with_branches_;
  const bool has_runs = sample.branch_choice == BranchChoice::kAll;
  if (!has_runs) ++dropped_.some_kinds;
  later_ = kernel_later_ = kOutside;
  fetched_.clear();
  for (const Branch& branch : sample.branches) {
    if (branch.wrong_path) {
      ++dropped_.wrong_path;
      continue;
    }
    const bool from_kernel = IsInKernel(branch.source);
    const bool to_kernel = IsInKernel(branch.target);
    const bool apart =
        rule_ == FallThroughRule::kPerf2bolt && (from_kernel || to_kernel);
    const PlaceId source = places_.PlaceOf(sample.address_space, branch.source);
    const PlaceId target = places_.PlaceOf(sample.address_space, branch.target);
    const PlaceId later = apart ? kernel_later_ : later_;
    kernel_later_ = apart && from_kernel ? source : kOutside;
    if (apart && (!from_kernel || source == kOutside) &&
        (!to_kernel || target == kOutside)) {
      ++dropped_.kernel;
      continue;
    }
    if (source == kOutside && target == kOutside) {
      if (rule_ != FallThroughRule::kLlvmProfgen) later_ = kOutside;
      continue;
    }
    const PlaceId end = has_runs ? LaterSource(target, later) : kOutside;
    const uint64_t branch_hash = FlowTable::HashOf(source, target, kOutside);
    taken_.Prefetch(branch_hash);
    const uint64_t run_hash = FlowTable::HashOf(source, target, end);
    if (end != kOutside) runs_.Prefetch(run_hash);
    fetched_.push_back({source, target, end, branch.mispredicted,
                        HasUnknownEnd(branch), branch_hash, run_hash});
    if (!apart) SetLater(source, target);
  }
  CountFetched();
}

void BranchCounts::CountFetched() {
  for (const Fetched& f : fetched_) {
    Flow* const branch =
        f.bound ? nullptr
                : Count(f.branch_hash, f.source, f.target, kOutside, &taken_);
    if (branch != nullptr && f.mispredicted && branch->mispredicted != ~0u) {
      ++branch->mispredicted;
    }
    if (f.end != kOutside) Count(f.run_hash, f.source, f.target, f.end, &runs_);
  }
}

// Returns the counted flow; null if there is no room for a new one.
Flow* BranchCounts::Count(uint64_t hash, PlaceId source, PlaceId target,
                          PlaceId end, FlowTable* table) {
  Flow* const flow = table->Find(hash, source, target, end);
  if (flow != nullptr) {
    ++flow->count;
    return flow;
  }
  return HasRoom() ? table->Add(hash, source, target, end) : nullptr;
}

// Returns the source of the branch after that to `target`, if it is in the same
// file: `later_source` or, with kLlvmProfgen, that of later_by_dso_.
PlaceId BranchCounts::LaterSource(PlaceId target, PlaceId later_source) const {
  if (target == kOutside) return kOutside;
  const DsoId dso = places_.DsoOf(target);
  if (rule_ != FallThroughRule::kLlvmProfgen) {
    return later_source != kOutside && places_.DsoOf(later_source) == dso
               ? later_source
               : kOutside;
  }
  if (dso >= later_by_dso_.size()) return kOutside;
  const Later& later = later_by_dso_[dso];
  return later.sample == samples_with_branches_ ? later.source : kOutside;
}

void BranchCounts::SetLater(PlaceId source, PlaceId target) {
  later_ = source;
  if (rule_ != FallThroughRule::kLlvmProfgen) return;
  const auto set = [this](DsoId dso, PlaceId place) {
    if (dso >= later_by_dso_.size()) later_by_dso_.resize(dso + 1);
    later_by_dso_[dso] = {samples_with_branches_, place};
  };
  if (target != kOutside) set(places_.DsoOf(target), kOutside);
  if (source != kOutside) set(places_.DsoOf(source), source);
}

}  // namespace perf2x
