// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_DEFERRED_BUDGET_H_
#define PERF2X_BASE_DEFERRED_BUDGET_H_

#include <array>
#include <cstdint>

#include "converter/base/budget.h"

namespace perf2x {

// The part of a budget that work on another thread uses. That thread spends
// from budget(). The owner's thread charges it to the budget that both share,
// when it knows that a piece of work is done. So what either of them finds
// exhausted does not depend on timing, as long as the calls of LimitsNow and
// Charge are at the same places of the input.
//
// For each piece of work, in order: the owner calls LimitsNow and passes the
// result on; the other thread calls Begin, works, and passes on its used(); the
// owner calls Charge. The next pieces may begin before.
class DeferredBudget {
 public:
  using Amounts = std::array<uint64_t, Budget::kResources>;
  struct Limits {
    Amounts amounts{};   // of all that budget() has used since the beginning
    int exhausted = -1;  // a Budget::Resource; -1: none
  };

  // `shared` must outlive this.
  explicit DeferredBudget(Budget& shared) : shared_(shared), memory_(shared) {}

  // What the other thread uses. Must not be used before the first Begin.
  Budget& budget() { return own_; }

  // For the owner: returns the limits for the next piece of work.
  Limits LimitsNow();
  // For the other thread: begins a piece of work.
  void Begin(const Limits& limits);
  // For the other thread: returns what it has used since the beginning, minus
  // the memory that it returned.
  Amounts used() const;
  // For the owner: charges what was used up to a piece of work.
  void Charge(const Amounts& used);

 private:
  Budget& shared_;
  Budget::Share memory_;  // of shared_
  Amounts charged_{};
  Budget own_;
};

}  // namespace perf2x

#endif  // PERF2X_BASE_DEFERRED_BUDGET_H_
