// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_STAGES_RUNNING_ROWS_H_
#define PERF2X_STAGES_RUNNING_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/base/attributes.h"
#include "absl/container/flat_hash_map.h"

namespace perf2x {

// What runs on each CPU, by pointers to rows that the caller owns. Damaged
// recordings may have CPUs of any number. Not thread-safe.
template <class Row>
class RunningRows {
 public:
  // Returns the entry of a CPU, null at first. `cpu` must not be negative.
  // Valid until the next call.
  Row*& On(int32_t cpu) {
    const auto at = static_cast<size_t>(cpu);
    return at < rows_.size() ? rows_[at] : Add(cpu);
  }
  // Returns the approximate memory in bytes.
  uint64_t memory() const {
    constexpr uint64_t kOfPointer = 8, kOfHigh = 24;
    return rows_.capacity() * kOfPointer + high_.capacity() * kOfHigh;
  }

 private:
  // Not inlined: rare.
  ABSL_ATTRIBUTE_NOINLINE Row*& Add(int32_t cpu) {
    if (cpu >= kHighCpu) return high_[cpu];
    rows_.resize(static_cast<size_t>(cpu) + 1);
    return rows_.back();
  }
  static constexpr int32_t kHighCpu = 4096;  // from here on in `high_`
  std::vector<Row*> rows_;                   // by CPU
  absl::flat_hash_map<int32_t, Row*> high_;
};

}  // namespace perf2x

#endif  // PERF2X_STAGES_RUNNING_ROWS_H_
