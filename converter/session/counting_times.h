// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_COUNTING_TIMES_H_
#define PERF2X_SESSION_COUNTING_TIMES_H_

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "converter/model/model.h"
#include "converter/session/counter_key.h"

namespace perf2x {

// Sums up, for each event, how long its counters were enabled and how long they
// counted. An event that shares the CPU's counters with others counts for a
// part of the time (multiplexing). Events are given by their index in the
// AttrTable. Not thread-safe.
class CountingTimes {
 public:
  // Sums over the counters of one event.
  struct Times {
    uint64_t enabled = 0, running = 0;  // ns
  };

  // Sets the totals of `counter`, a counter of `event`, from its latest
  // reading. Ignores a reading with `enabled` 0: its times were not recorded.
  void SetTotals(const CounterKey& counter, EventId event, uint64_t enabled,
                 uint64_t running) {
    if (enabled == 0) return;
    last_[counter] = {event, {enabled, running}};
  }

  // Returns the number of counters with totals.
  size_t size() const { return last_.size(); }

  // Returns the sums over the counters of each event, by event. Shorter if the
  // last events have no counters. A thread may have counters of one event on
  // several CPUs. All of them are enabled while the thread runs, but only one
  // counts. So only the largest `enabled` of such counters is added.
  std::vector<Times> ByEvent() const {
    std::vector<Times> sums;
    std::map<std::pair<EventId, int32_t>, Times> of_threads;
    const auto add = [&sums](EventId event, const Times& times) {
      if (event >= sums.size()) sums.resize(event + 1);
      sums[event].enabled += times.enabled;
      sums[event].running += times.running;
    };
    for (const auto& [counter, reading] : last_) {
      if (counter.tid < 0) {
        add(reading.event, reading.times);
      } else {
        Times& thread = of_threads[{reading.event, counter.tid}];
        thread.enabled = std::max(thread.enabled, reading.times.enabled);
        thread.running += reading.times.running;
      }
    }
    for (const auto& [key, times] : of_threads) {
      add(key.first, {times.enabled, std::min(times.enabled, times.running)});
    }
    return sums;
  }

 private:
  struct Reading {
    EventId event;
    Times times;
  };
  absl::flat_hash_map<CounterKey, Reading> last_;
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_COUNTING_TIMES_H_
