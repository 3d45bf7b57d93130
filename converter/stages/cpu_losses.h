// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_STAGES_CPU_LOSSES_H_
#define PERF2X_STAGES_CPU_LOSSES_H_

#include <cstdint>

#include "absl/container/flat_hash_map.h"

namespace perf2x {

// Counts losses of records, by CPU. Not thread-safe.
class CpuLosses {
 public:
  // Adds a loss; `cpu` is -1 if it may be of any CPU.
  void Add(int32_t cpu) { (cpu < 0 ? last_ : last_on_[cpu]) = ++count_; }
  // Returns the number of losses so far.
  uint32_t count() const { return count_; }
  // Returns true if records of `cpu` may have been lost since count() was
  // `count`; -1: of any CPU.
  bool Since(uint32_t count, int32_t cpu) const {
    if (cpu < 0 || last_ > count) return count_ > count;
    const auto on = last_on_.find(cpu);
    return on != last_on_.end() && on->second > count;
  }

 private:
  // The number of losses so far, and its value at the last loss of no known CPU
  // and of each CPU.
  uint32_t count_ = 0, last_ = 0;
  absl::flat_hash_map<int32_t, uint32_t> last_on_;
};

}  // namespace perf2x

#endif  // PERF2X_STAGES_CPU_LOSSES_H_
