// SPDX-License-Identifier: Apache-2.0
#include "converter/base/deferred_budget.h"

#include <algorithm>

namespace perf2x {

DeferredBudget::Limits DeferredBudget::LimitsNow() {
  Limits limits;
  for (int i = 0; i < Budget::kResources; ++i) {
    const auto resource = static_cast<Budget::Resource>(i);
    const uint64_t limit = shared_.Limit(resource);
    const uint64_t left = limit - std::min(limit, shared_.used(resource));
    limits.amounts[i] = charged_[i] + std::min(left, ~charged_[i]);
  }
  limits.exhausted = shared_.exhausted_.load(std::memory_order_relaxed);
  return limits;
}

void DeferredBudget::Begin(const Limits& limits) {
  own_.SetLimits(limits.amounts, limits.exhausted);
}

DeferredBudget::Amounts DeferredBudget::used() const {
  Amounts amounts;
  for (int i = 0; i < Budget::kResources; ++i) {
    amounts[i] = own_.used(static_cast<Budget::Resource>(i));
  }
  return amounts;
}

void DeferredBudget::Charge(const Amounts& used) {
  for (int i = 0; i < Budget::kResources; ++i) {
    if (i == Budget::kMemory) {
      memory_.Set(used[i]);
    } else {
      shared_.Spend(static_cast<Budget::Resource>(i), used[i] - charged_[i]);
    }
  }
  charged_ = used;
}

}  // namespace perf2x
