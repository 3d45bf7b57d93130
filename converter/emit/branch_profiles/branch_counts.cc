// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/branch_profiles/branch_counts.h"

namespace perf2x {
namespace {

// The lowest address of the kernel's half on the machines that BOLT supports
// (DataAggregator::KernelBaseAddr).
constexpr uint64_t kKernelStart = uint64_t{0xffff8000} << 32;

uint64_t Pair(uint32_t high, uint32_t low) {
  return uint64_t{high} << 32 | low;
}

}  // namespace

BranchCounts::BranchCounts(BranchReading reading, CodePlaces& places,
                           Budget& budget)
    : reading_(reading), places_(places), budget_(budget), memory_(budget) {}

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
  constexpr uint64_t kOfEntry = 64, kAtOnce = 1024;
  if (budget_.exhausted()) {
    ++dropped_.budget;
    return false;
  }
  if (++distinct_ % kAtOnce == 0) {
    memory_.Set(distinct_ * kOfEntry + places_.memory());
  }
  return true;
}

bool BranchCounts::Skips(const Branch& branch) {
  if (branch.wrong_path) {
    ++dropped_.wrong_path;
    return true;
  }
  if (reading_ == BranchReading::kSkipsKernel &&
      (branch.source >= kKernelStart || branch.target >= kKernelStart)) {
    ++dropped_.kernel;
    return true;
  }
  return false;
}

// Branches come the latest first.
void BranchCounts::AddStack(const Sample& sample) {
  ++samples_with_branches_;
  const bool has_runs = sample.branch_choice == BranchChoice::kAll;
  if (!has_runs) ++dropped_.some_kinds;
  later_ = kOutside;
  for (const Branch& branch : sample.branches) {
    if (Skips(branch)) continue;
    const PlaceId source = places_.PlaceOf(sample.address_space, branch.source);
    const PlaceId target = places_.PlaceOf(sample.address_space, branch.target);
    if (source == kOutside && target == kOutside) {
      if (reading_ != BranchReading::kByFile) later_ = kOutside;
      continue;
    }
    const uint32_t id = Count(source, target, branch.mispredicted);
    const PlaceId end = LaterSource(target);
    if (has_runs && end != kOutside && target != kOutside && id != kNone) {
      AddRun(id, end);
    }
    SetLater(source, target);
  }
}

uint32_t BranchCounts::Count(PlaceId source, PlaceId target,
                             bool mispredicted) {
  const uint64_t key = Pair(source, target);
  auto it = taken_ids_.find(key);
  if (it == taken_ids_.end()) {
    if (!HasRoom()) return kNone;
    it = taken_ids_.emplace(key, taken_.size()).first;
    taken_.push_back({source, target, 0, 0});
  }
  Taken& taken = taken_[it->second];
  ++taken.count;
  taken.mispredicted += mispredicted ? 1 : 0;
  return it->second;
}

void BranchCounts::AddRun(uint32_t branch, PlaceId end) {
  const uint64_t key = Pair(branch, end);
  const auto it = runs_.find(key);
  if (it != runs_.end()) {
    ++it->second;
  } else if (HasRoom()) {
    runs_.emplace(key, 1);
  }
}

// Returns the source of the branch after that to `target`, if it is in the same
// file.
PlaceId BranchCounts::LaterSource(PlaceId target) const {
  if (target == kOutside) return kOutside;
  const DsoId dso = places_.DsoOf(target);
  if (reading_ != BranchReading::kByFile) {
    return later_ != kOutside && places_.DsoOf(later_) == dso ? later_
                                                              : kOutside;
  }
  if (dso >= later_by_dso_.size()) return kOutside;
  const Later& later = later_by_dso_[dso];
  return later.sample == samples_with_branches_ ? later.source : kOutside;
}

void BranchCounts::SetLater(PlaceId source, PlaceId target) {
  later_ = source;
  if (reading_ != BranchReading::kByFile) return;
  const auto set = [this](DsoId dso, PlaceId place) {
    if (dso >= later_by_dso_.size()) later_by_dso_.resize(dso + 1);
    later_by_dso_[dso] = {samples_with_branches_, place};
  };
  if (target != kOutside) set(places_.DsoOf(target), kOutside);
  if (source != kOutside) set(places_.DsoOf(source), source);
}

}  // namespace perf2x
