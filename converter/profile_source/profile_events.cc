// SPDX-License-Identifier: Apache-2.0
#include "converter/profile_source/profile_events.h"

#include <string>

#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "converter/base/truncate_name.h"

namespace perf2x {
namespace {

bool Counts(const Profile& profile, size_t type) {
  return profile[profile.sample_types[type].unit] == "count";
}

// Returns true if the type `i` is the number of samples of the type after it.
bool IsCountOfNext(const Profile& profile, size_t i) {
  if (i + 1 >= profile.sample_types.size() || !Counts(profile, i)) return false;
  absl::string_view name = profile[profile.sample_types[i].type];
  const absl::string_view next = profile[profile.sample_types[i + 1].type];
  return (absl::ConsumeSuffix(&name, "_samples") && name == next) ||
         !Counts(profile, i + 1);
}

EventKind KindOf(absl::string_view name, absl::string_view unit) {
  if (unit != "nanoseconds") return EventKind::kSampled;
  return name == "offcpu-time" ? EventKind::kOffCpu : EventKind::kClock;
}

}  // namespace

ProfileEvents::ProfileEvents(const Profile& profile) {
  for (size_t i = 0; i < profile.sample_types.size(); ++i) {
    const size_t count = i;
    if (IsCountOfNext(profile, i)) ++i;
    columns_.push_back({count, i});
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
