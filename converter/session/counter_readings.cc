// SPDX-License-Identifier: Apache-2.0
#include "converter/session/counter_readings.h"

#include <algorithm>
#include <utility>

namespace perf2x {

std::optional<CounterReadings::Growth> CounterReadings::Update(
    const CounterKey& counter, const CounterReading& reading) {
  CounterReading before =
      std::exchange(last_.try_emplace(counter).first->second, reading);
  Growth growth;
  growth.restarted = reading.value < before.value;
  if (growth.restarted) before = CounterReading();
  if (reading.enabled > 0 && reading.running == 0) return std::nullopt;
  growth.value = static_cast<double>(reading.value - before.value);
  if (reading.enabled > before.enabled && reading.running > before.running) {
    const uint64_t enabled = reading.enabled - before.enabled;
    const uint64_t running = reading.running - before.running;
    if (running < enabled) {
      growth.value *=
          static_cast<double>(enabled) / static_cast<double>(running);
    }
  }
  growth.since = before.time ? before.time : reading.made;
  // The latest time at which the counter can have been made. A task's counter
  // is enabled only while the task runs, so it was made earlier.
  if (!growth.since && reading.time && reading.enabled > 0) {
    growth.since = *reading.time - std::min(*reading.time, reading.enabled);
  }
  return growth;
}

}  // namespace perf2x
