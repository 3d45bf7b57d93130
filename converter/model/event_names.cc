// SPDX-License-Identifier: Apache-2.0
#include "converter/model/event_names.h"

namespace perf2x {

std::vector<std::string> DistinctEventNames(const std::vector<Event>& events) {
  EventNames names(events);
  std::vector<std::string> out;
  for (EventId e = 0; e < events.size(); ++e) out.push_back(names[e]);
  return out;
}

}  // namespace perf2x
