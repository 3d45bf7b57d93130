// SPDX-License-Identifier: Apache-2.0
#include "converter/model/event_names.h"

namespace perf2x {

const std::string& ChangingEventNames::operator[](EventId event) {
  constexpr uint64_t kOfName = 160, kCopies = 4, kStepsOfName = 4;
  if (event < names_.size() && names_[event].name != events_[event].name) {
    distinct_ = DistinctNames();
    names_.clear();
    memory_.Set(0);
  }
  while (names_.size() <= event) {
    const std::string& name = events_[names_.size()].name;
    names_.push_back({name, distinct_.MakeDistinct(name)});
    memory_.Set(memory_.held() + kOfName + kCopies * name.size());
    budget_.Spend(Budget::kWork, kStepsOfName);
  }
  return names_[event].distinct;
}

std::vector<std::string> DistinctEventNames(const std::vector<Event>& events) {
  EventNames names(events);
  std::vector<std::string> out;
  for (EventId e = 0; e < events.size(); ++e) out.push_back(names[e]);
  return out;
}

}  // namespace perf2x
