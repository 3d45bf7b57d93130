// SPDX-License-Identifier: Apache-2.0
#include "converter/session/trace_info.h"

#include <cstdint>

#include "absl/strings/str_cat.h"

namespace perf2x {
namespace {

constexpr int32_t kRealTime = 0;

// clockid_t of <linux/time.h>, those that perf record -k accepts.
constexpr struct {
  int32_t id;
  const char* name;
} kClocks[] = {
    {.id = kRealTime, .name = "CLOCK_REALTIME"},
    {.id = 1, .name = "CLOCK_MONOTONIC"},
    {.id = 4, .name = "CLOCK_MONOTONIC_RAW"},
    {.id = 7, .name = "CLOCK_BOOTTIME"},
    {.id = 11, .name = "CLOCK_TAI"},
};

std::string ClockName(int32_t id) {
  for (const auto& clock : kClocks) {
    if (clock.id == id) return clock.name;
  }
  return absl::StrCat("clock ", id);
}

}  // namespace

TraceInfo MakeTraceInfo(const std::string& input,
                        const HeaderFeatures& features,
                        const std::vector<RecordedEvent>& events) {
  TraceInfo info;
  info.input = input;
  info.hostname = features.hostname;
  info.os_release = features.os_release;
  info.arch = features.machine();
  info.perf_version = features.perf_version;
  info.cpu_description = features.cpu_description;
  info.command_line = features.command_line;
  info.cache_line_size = features.cache_line_size.value_or(0);
  info.clock = "perf";
  if (features.clock_data.has_value()) {
    info.recorded_at = static_cast<int64_t>(features.clock_data->wall_ns);
  }
  if (events.empty() || !events.front().attr.use_clockid()) return info;
  const int32_t clock = events.front().attr.clockid;
  info.clock = ClockName(clock);
  const std::optional<ClockData>& data = features.clock_data;
  if (clock == kRealTime) {
    info.wall_clock_offset = 0;
  } else if (data && static_cast<int32_t>(data->clockid) == clock) {
    info.wall_clock_offset =
        static_cast<int64_t>(data->wall_ns - data->clock_ns);
  }
  return info;
}

}  // namespace perf2x
