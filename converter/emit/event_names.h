// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_EVENT_NAMES_H_
#define PERF2X_EMIT_EVENT_NAMES_H_

#include <deque>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "converter/model/model.h"

namespace perf2x {

// Makes names of events distinct. The second event called NAME becomes
// "NAME#2", or the next number that is free. Assigns names by EventId, on first
// use. Assigned names do not change: a stream may describe further events
// later. Not thread-safe.
class EventNames {
 public:
  // `events` must outlive this, and may grow.
  explicit EventNames(const std::vector<Event>& events) : events_(events) {}

  // Returns the distinct name of `event`, which must be less than the number of
  // events. Valid as long as this.
  const std::string& operator[](EventId event) {
    while (names_.size() <= event) Add(events_[names_.size()].name);
    return names_[event];
  }

 private:
  void Add(const std::string& name);

  const std::vector<Event>& events_;
  std::deque<std::string> names_;  // by event
  absl::flat_hash_set<std::string> taken_;
  absl::flat_hash_map<std::string, int> next_number_;  // by name
};

// Returns the distinct names of all events, by EventId.
std::vector<std::string> DistinctEventNames(const std::vector<Event>& events);

// Returns the name of an event of an Intel hybrid processor's core PMU, without
// the PMU: "cycles:u" for "cpu_atom/cycles/u". Returns "" for all other events.
// Also returns "" for numeric events ("cpu_core/event=0x3c/"), whose meaning
// depends on the PMU.
std::string HybridEventName(absl::string_view name);

}  // namespace perf2x

#endif  // PERF2X_EMIT_EVENT_NAMES_H_
