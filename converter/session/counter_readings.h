// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_COUNTER_READINGS_H_
#define PERF2X_SESSION_COUNTER_READINGS_H_

#include <cstdint>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "converter/session/counter_key.h"

namespace perf2x {

// A reading of a counter: totals since the counter was made. Times are in ns.
struct CounterReading {
  std::optional<uint64_t> time;
  uint64_t value = 0;
  // How long the counter was enabled and, of this time, how long it counted
  // (multiplexing). 0: not recorded.
  uint64_t enabled = 0, running = 0;
  // When the counter was made; absent: not known.
  std::optional<uint64_t> made = std::nullopt;
};

// Turns successive readings of counters into the counts between them. Not
// thread-safe.
class CounterReadings {
 public:
  // How much a counter grew, and since when.
  struct Growth {
    // Start of the time in which the counter grew by `value`: the previous
    // reading. Without that, or if `restarted`: the time when the counter was
    // made, or the latest time at which it can have been made. Absent: not
    // known.
    std::optional<uint64_t> since;
    // Scaled up to the enabled time, as by perf_counts_values__scale().
    double value = 0;
    bool restarted = false;  // counter ran backwards; `value` is counted from 0
  };
  // Stores the counter's next reading. Returns how much the counter grew since
  // the previous reading, or since 0 for the first. Returns nullopt if the
  // counter was enabled but never counted.
  std::optional<Growth> Update(const CounterKey& counter,
                               const CounterReading& reading);

  // Returns true if the counter's latest reading has this value.
  bool IsLatest(const CounterKey& counter, uint64_t value) const {
    const auto it = last_.find(counter);
    return it != last_.end() && it->second.value == value;
  }

  size_t size() const { return last_.size(); }  // counters

 private:
  absl::flat_hash_map<CounterKey, CounterReading> last_;
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_COUNTER_READINGS_H_
