// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_SKIP_COUNTER_H_
#define PERF2X_EMIT_SKIP_COUNTER_H_

#include <cstdint>

#include "converter/base/budget.h"
#include "converter/base/diagnostics.h"

namespace perf2x {

// Counts the things that an emitter skips because the budget is exhausted. Does
// not skip anything itself. Not thread-safe.
class SkipCounter {
 public:
  // `thing` names one of the things ("row"), see CountSkippedForBudget. All
  // arguments must outlive this; `diagnostics` may be null.
  SkipCounter(const char* thing, Budget& budget, Diagnostics* diagnostics)
      : thing_(thing), budget_(budget), diagnostics_(diagnostics) {}

  // If the budget is exhausted, counts `count` things as skipped and returns
  // true: the caller must skip them. Otherwise counts nothing and returns
  // false.
  bool CountIfExhausted(uint64_t count = 1) {
    if (!budget_.exhausted()) return false;
    // The name is lost when the last quarter of the budget becomes available.
    Count(budget_.exhausted_name(), count);
    return true;
  }
  // Counts things that the caller skips because the part of a resource that is
  // meant for them is used up: the rest is for what is made of those before.
  // `resource` is named as by Budget::exhausted_name.
  void Count(const char* resource, uint64_t count = 1) {
    if (count_ == 0) resource_ = resource;
    count_ += count;
  }
  // Adds the number of skipped things to the diagnostics. To be called once.
  void Report() const {
    CountSkippedForBudget(thing_, resource_, count_, diagnostics_);
  }

 private:
  const char* const thing_;
  Budget& budget_;
  Diagnostics* const diagnostics_;
  const char* resource_ = "";
  uint64_t count_ = 0;
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_SKIP_COUNTER_H_
