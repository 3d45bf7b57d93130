// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/pprof/pprof_values.h"

#include <algorithm>
#include <map>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "converter/emit/event_names.h"

namespace perf2x {

PprofValues::PprofValues(const std::vector<Event>& events,
                         const std::vector<bool>& sampled)
    : place_of_(events.size(), kNoId), sum_of_(events.size(), kNoId) {
  const std::vector<std::string> names = DistinctEventNames(events);
  const bool any =
      std::find(sampled.begin(), sampled.end(), true) != sampled.end();
  for (const Event& event : events) mean_of_.push_back(event.mean_of);
  FindDifference(events);
  for (const bool derived : {true, false}) {
    for (EventId e = 0; e < events.size(); ++e) {
      const bool has_samples = e < sampled.size() && sampled[e];
      if (events[e].derived == derived &&
          (any ? has_samples : events[e].kind != EventKind::kDummy)) {
        place_of_[e] = static_cast<uint32_t>(types_.size());
        AddType(names[e], e, !derived);
      }
    }
  }
  AddSums(events);
}

void PprofValues::FindDifference(absl::Span<const Event> events) {
  for (EventId e = 0; e < events.size() && !difference_.has_value(); ++e) {
    if (events[e].minus == kNoId) continue;
    difference_ = {e, events[e].minus};
    AddType("difference", e, /*has_samples=*/false);
  }
}

void PprofValues::AddType(std::string name, EventId event, bool has_samples) {
  types_.push_back({std::move(name), event, has_samples, size_});
  size_ += has_samples ? 2 : 1;
}

void PprofValues::AddSums(absl::Span<const Event> events) {
  std::map<std::string, std::vector<EventId>> by_name;
  for (EventId e = 0; e < events.size(); ++e) {
    if (place_of_[e] == kNoId) continue;
    std::string name = HybridEventName(events[e].name);
    if (!name.empty()) by_name[std::move(name)].push_back(e);
  }
  absl::flat_hash_set<std::string> taken;
  for (const Type& type : types_) taken.insert(type.name);
  for (const auto& entry : by_name) {
    const std::string& name = entry.first;
    const std::vector<EventId>& members = entry.second;
    if (members.size() < 2) continue;
    const bool one_unit = std::all_of(
        members.begin(), members.end(),
        [&](EventId e) { return events[e].unit == events[members[0]].unit; });
    if (!one_unit) continue;
    for (EventId e : members) {
      sum_of_[e] = static_cast<uint32_t>(types_.size());
    }
    AddType(taken.contains(name) ? absl::StrCat(name, "#sum") : name,
            members[0], /*has_samples=*/true);
    taken.insert(types_.back().name);
  }
}

const PprofValues::Type& PprofValues::default_type() const {
  if (difference_.has_value()) return types_[0];
  const uint32_t sum = sum_of_[types_[0].event];
  return types_[sum == kNoId ? 0 : sum];
}

}  // namespace perf2x
