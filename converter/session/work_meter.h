// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_WORK_METER_H_
#define PERF2X_SESSION_WORK_METER_H_

#include <cstdint>
#include <utility>

#include "converter/base/budget.h"

namespace perf2x {

// Spends Budget::kWork in large amounts, because Budget::Spend is an atomic
// operation. Not thread-safe.
class WorkMeter {
 public:
  // `budget` must outlive the meter.
  explicit WorkMeter(Budget& budget) : budget_(budget) {}

  // Adds steps of work. Work in proportion to the size of the current record
  // need not be added. Spends the steps once there are 65536 or more.
  void Add(uint64_t steps) {
    constexpr uint64_t kMaxUnspent = 1 << 16;
    unspent_ += steps;
    if (unspent_ >= kMaxUnspent) Flush();
  }
  // Returns Budget::exhausted(). Up to 65535 steps may be unspent.
  bool exhausted() const { return budget_.exhausted(); }
  // Spends all steps so far. To be called before the budget is checked.
  void Flush() { budget_.Spend(Budget::kWork, std::exchange(unspent_, 0)); }

 private:
  Budget& budget_;
  uint64_t unspent_ = 0;
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_WORK_METER_H_
