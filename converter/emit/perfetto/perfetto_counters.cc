// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/perfetto/perfetto_counters.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"

namespace perf2x {

uint64_t PerfettoCounters::AddTrack(const Counter& counter) {
  const Event& event = tables_.events[counter.event];
  std::string name = event.name;
  uint64_t parent = 0;
  if (counter.thread != kNoId) {
    const TrackId track = threads_.TrackOf(counter.thread, counter.time);
    parent = threads_.ProcessUuid(track);
    absl::StrAppend(&name, " of ", threads_.row(track).tid);
  }
  if (counter.cpu >= 0) absl::StrAppend(&name, " on CPU ", counter.cpu);
  return events_.AddCounter(
      name, event.counter_unit.empty() ? event.unit : event.counter_unit,
      parent);
}

void PerfettoCounters::OnCounter(const Counter& counter, uint64_t start) {
  const auto key = std::tuple{counter.event, counter.thread, counter.cpu};
  const auto [it, inserted] = series_.try_emplace(key);
  Series& series = it->second;
  // A count that began before the trace's first event is shown from the trace's
  // start on.
  if (inserted) series = {AddTrack(counter), start};
  const uint64_t since =
      std::clamp(counter.since.value_or(series.end),
                 std::min(series.end, *counter.time), *counter.time);
  if (since > series.end && !inserted) {
    events_.Value(series.track, series.end, 0);
  }
  events_.Value(series.track, since, counter.value);
  series.end = *counter.time;
}

void PerfettoCounters::Finish() {
  for (const auto& [key, series] : series_) {
    events_.Value(series.track, series.end, 0);
  }
}

}  // namespace perf2x
