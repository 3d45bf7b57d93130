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

// The name that stands for each event in outputs. Of several events with one
// name, the second is "NAME#2". Streams may describe events late: a name is
// made when it is first asked for, of all events up to that one.
class EventNames {
 public:
  // `events` must outlive this, and may grow.
  explicit EventNames(const std::vector<Event>& events) : events_(events) {}

  // Valid as long as this.
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

// The same of all events.
std::vector<std::string> DistinctEventNames(const std::vector<Event>& events);

// Returns what an event of one of a hybrid machine's core PMUs is called on all
// of them, with its modifiers: "cycles:u" for "cpu_atom/cycles/u". Empty for
// other events and those without a name ("cpu_core/event=0x3c/"), whose codes
// mean different things on each PMU.
std::string HybridEventName(absl::string_view name);

}  // namespace perf2x

#endif  // PERF2X_EMIT_EVENT_NAMES_H_
