// SPDX-License-Identifier: Apache-2.0
#include "converter/profile_source/profile_events.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "converter/base/truncate_name.h"

namespace perf2x {
namespace {

bool Counts(const Profile& profile, size_t type) {
  return profile[profile.sample_types[type].unit] == "count";
}

absl::string_view NameOf(const Profile& profile, size_t type) {
  return profile[profile.sample_types[type].type];
}

// Returns, for each value type, the index of the type whose samples it counts;
// its own if there is none. No two count the same one.
std::vector<size_t> CountedTypes(const Profile& profile) {
  std::vector<size_t> counted(profile.sample_types.size());
  std::iota(counted.begin(), counted.end(), size_t{0});
  std::vector<bool> taken(counted.size());
  absl::flat_hash_map<absl::string_view, std::vector<size_t>> by_name;
  for (size_t i = 0; i < counted.size(); ++i) {
    by_name[NameOf(profile, i)].push_back(i);
    if (!CountsNext(profile, i)) continue;
    counted[i] = i + 1;
    taken[i + 1] = true;
  }
  for (size_t i = 0; i < counted.size(); ++i) {
    const absl::string_view name = CountedByName(
        NameOf(profile, i), profile[profile.sample_types[i].unit]);
    if (name.empty() || taken[i]) continue;
    const auto it = by_name.find(name);
    if (it == by_name.end()) continue;
    const auto is_free = [&](size_t type) {
      return !taken[type] && counted[type] == type;
    };
    const bool next = i + 1 < counted.size() && is_free(i + 1) &&
                      NameOf(profile, i + 1) == name;
    const auto at =
        next ? std::find(it->second.begin(), it->second.end(), i + 1)
             : std::find_if(it->second.begin(), it->second.end(), is_free);
    if (at == it->second.end()) continue;
    counted[i] = *at;
    taken[*at] = true;
  }
  return counted;
}

EventKind KindOf(absl::string_view name, absl::string_view unit) {
  if (unit != "nanoseconds") return EventKind::kSampled;
  return name == "offcpu-time" ? EventKind::kOffCpu : EventKind::kClock;
}

}  // namespace

absl::string_view CountedByName(absl::string_view type,
                                absl::string_view unit) {
  return unit == "count" && absl::ConsumeSuffix(&type, "_samples") ? type : "";
}

bool CountsNext(const Profile& profile, size_t i) {
  return i + 1 < profile.sample_types.size() && Counts(profile, i) &&
         CountedByName(NameOf(profile, i), "count").empty() &&
         !Counts(profile, i + 1);
}

ProfileEvents::ProfileEvents(const Profile& profile) {
  const std::vector<size_t> counted = CountedTypes(profile);
  std::vector<size_t> count_of(counted.size());
  std::iota(count_of.begin(), count_of.end(), size_t{0});
  for (size_t i = 0; i < counted.size(); ++i) {
    if (counted[i] != i) count_of[counted[i]] = i;
  }
  for (size_t i = 0; i < counted.size(); ++i) {
    if (counted[i] != i) continue;
    columns_.push_back({count_of[i], i});
    const Profile::ValueType& type = profile.sample_types[i];
    Event& event = events_.emplace_back();
    event.name = std::string(profile[type.type].substr(0, kMaxEventNameSize));
    event.unit = std::string(profile[type.unit]);
    event.kind = KindOf(event.name, event.unit);
    if (profile.period_type.has_value() && profile.period > 0 &&
        profile[profile.period_type->type] == event.name) {
      event.period = static_cast<uint64_t>(profile.period);
    }
  }
}

}  // namespace perf2x
