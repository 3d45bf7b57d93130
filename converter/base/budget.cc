// SPDX-License-Identifier: Apache-2.0
#include "converter/base/budget.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace perf2x {

Budget& Budget::Unlimited() {
  static Budget* const budget = [] {
    auto* made = new Budget;
    made->unlimited_ = true;
    made->ReleaseReserve();
    return made;
  }();
  return *budget;
}

void Budget::AddInput(Size size) {
  if (size == nullptr) return;
  std::lock_guard lock(mutex_);
  inputs_.push_back(std::move(size));
}

void Budget::AddInput(uint64_t size) {
  std::lock_guard lock(mutex_);
  fixed_size_ += size;
}

void Budget::ReleaseReserve() {
  std::lock_guard lock(mutex_);
  records_ended_ = true;
  UpdateLimits();
  exhausted_.store(kNone, std::memory_order_relaxed);
}

void Budget::SetLimits(const std::array<uint64_t, kResources>& limits,
                       int exhausted) {
  std::lock_guard lock(mutex_);
  fixed_ = true;
  for (int i = 0; i < kResources; ++i) {
    limits_[i].store(limits[i], std::memory_order_relaxed);
    if (exhausted == kNone && used(Resource(i)) > limits[i]) exhausted = i;
  }
  exhausted_.store(exhausted, std::memory_order_relaxed);
}

void Budget::UpdateLimits() {
  if (fixed_) return;
  uint64_t size = fixed_size_;
  for (const Size& input : inputs_) {
    size += input->load(std::memory_order_relaxed);
  }
  for (int i = 0; i < kResources; ++i) {
    const Rule& rule = rules_[i];
    const bool scales = rule.per_byte != 0;
    uint64_t limit = std::max(
        rule.floor,
        scales ? std::min(size, ~uint64_t{0} / rule.per_byte) * rule.per_byte
               : 0);
    if (!records_ended_) limit -= limit / 4;
    if (unlimited_) limit = ~uint64_t{0};
    // Spending beyond the records' part does not reduce the last quarter.
    if (records_ended_) limit = std::max(limit, used(Resource(i)) + limit / 4);
    limits_[i].store(limit, std::memory_order_relaxed);
  }
}

uint64_t Budget::Limit(Resource resource) {
  std::lock_guard lock(mutex_);
  if (!records_ended_) UpdateLimits();
  return limits_[resource].load(std::memory_order_relaxed);
}

// The slow path of Spend: a limit is not computed before it is first reached.
void Budget::CheckLimit(Resource resource) {
  std::lock_guard lock(mutex_);
  if (exhausted()) return;
  const uint64_t before = limits_[resource].load(std::memory_order_relaxed);
  if (!records_ended_ || before == 0) UpdateLimits();
  if (used(resource) > limits_[resource].load(std::memory_order_relaxed)) {
    exhausted_.store(resource, std::memory_order_relaxed);
  }
}

const char* Budget::exhausted_name() const {
  static constexpr const char* kNames[kResources] = {"memory", "work",
                                                     "output"};
  const int resource = exhausted_.load(std::memory_order_relaxed);
  return resource == kNone ? "" : kNames[resource];
}

void CountSkippedForBudget(absl::string_view thing, absl::string_view resource,
                           uint64_t count, Diagnostics* diagnostics,
                           uint64_t offset, uint64_t bytes) {
  if (diagnostics == nullptr || count == 0) return;
  diagnostics->Add(Diagnostics::Severity::kSkipped,
                   absl::StrCat(thing, " left out: the ", resource,
                                " that an input of this size may cause is "
                                "used up (see SECURITY.md)"),
                   offset, bytes, count);
}

}  // namespace perf2x
