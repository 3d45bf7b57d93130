// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_MODEL_EVENT_NAMES_H_
#define PERF2X_MODEL_EVENT_NAMES_H_

#include <string>
#include <vector>

#include "converter/base/budget.h"
#include "converter/base/distinct_names.h"
#include "converter/base/stable_array.h"
#include "converter/model/model.h"

namespace perf2x {

// Makes names of events distinct, see DistinctNames. Assigns names by EventId,
// on first use. Assigned names do not change: a stream may describe further
// events later. Not thread-safe.
class EventNames {
 public:
  // `events` must outlive this, and may grow.
  explicit EventNames(const std::vector<Event>& events) : events_(events) {}

  // Returns the name of `event`, distinct from those of the events before it.
  // `event` must be less than the number of events. Valid as long as this.
  const std::string& operator[](EventId event) {
    Assign(event);
    return names_[event];
  }
  // Assigns the names of `event` and of the events before it.
  void Assign(EventId event) {
    while (names_.size() <= event) {
      names_.push_back(distinct_.MakeDistinct(events_[names_.size()].name));
    }
  }
  // As operator[], for an event that has a name. May be called while another
  // thread assigns names.
  const std::string& Assigned(EventId event) const { return names_[event]; }

 private:
  const std::vector<Event>& events_;
  DistinctNames distinct_;
  StableArray<std::string, 16> names_;  // by event
};

// As EventNames, but after a change of an event's name, all names are assigned
// anew. Charges the names that it keeps (kMemory), and each assignment (kWork).
class ChangingEventNames {
 public:
  // Both arguments must outlive this.
  ChangingEventNames(const std::vector<Event>& events, Budget& budget)
      : events_(events), budget_(budget), memory_(budget) {}

  // Returns the name of `event`, distinct from those of the events before it.
  // `event` must be less than the number of events. Valid until the next call.
  // A change is noticed only when operator[] is called for the changed event.
  // Until then, all names stay.
  const std::string& operator[](EventId event);

 private:
  struct Named {
    std::string name, distinct;
  };
  const std::vector<Event>& events_;
  Budget& budget_;
  DistinctNames distinct_;
  std::vector<Named> names_;  // by event
  Budget::Share memory_;
};

// Returns the distinct names of all events, by EventId.
std::vector<std::string> DistinctEventNames(const std::vector<Event>& events);

}  // namespace perf2x

#endif  // PERF2X_MODEL_EVENT_NAMES_H_
