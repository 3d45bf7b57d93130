// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_COUNTER_READINGS_H_
#define PERF2X_SESSION_COUNTER_READINGS_H_

#include <cstdint>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "converter/session/counter_key.h"

namespace perf2x {

// What was read of a counter, in total since it was made. Times are ns.
struct CounterReading {
  std::optional<uint64_t> time;
  uint64_t value = 0;
  // How long it was to count, and did: it may have to share the CPU's counters
  // with others. 0: not recorded.
  uint64_t enabled = 0, running = 0;
  // When the counter began; absent: not known.
  std::optional<uint64_t> made = std::nullopt;
};

// Turns readings into what was counted between them.
class CounterReadings {
 public:
  struct Growth {
    std::optional<uint64_t> since;  // absent: not known
    double value =
        0;  // scaled up to all of the time: perf_counts_values__scale
    bool restarted = false;  // ran backwards; `value` is counted from 0
  };
  // Takes the counter's next reading. Absent when it never got to count.
  std::optional<Growth> Next(const CounterKey& counter,
                             const CounterReading& reading);

  size_t size() const { return last_.size(); }  // counters

 private:
  absl::flat_hash_map<CounterKey, CounterReading> last_;
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_COUNTER_READINGS_H_
