// SPDX-License-Identifier: Apache-2.0
#include "converter/perf/header/shared_event_names.h"

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "converter/perf/header/event_name.h"

namespace perf2x {

std::vector<uint32_t> EventsOfSharedNames(
    absl::Span<const RecordedEvent> events) {
  absl::flat_hash_map<absl::string_view, uint32_t> pmu_of;  // by name
  absl::flat_hash_set<absl::string_view> shared;
  for (const RecordedEvent& event : events) {
    const uint32_t pmu = PmuTypeOf(event.attr);
    auto [it, inserted] = pmu_of.try_emplace(event.name, pmu);
    if (!inserted && it->second != pmu) shared.insert(event.name);
  }
  std::vector<uint32_t> found;
  for (uint32_t i = 0; i < events.size(); ++i) {
    if (!events[i].pmu.empty() && shared.contains(events[i].name)) {
      found.push_back(i);
    }
  }
  return found;
}

}  // namespace perf2x
