// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/chrome/chrome_counters.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace perf2x {

ChromeCounters::Series ChromeCounters::Start(const Counter& counter) {
  const Event& event = tables_.events[counter.event];
  Series series;
  series.name = event.name;
  series.pid = kCpusPid;
  if (counter.thread != kNoId) {
    const ChromeTrack track =
        tracks_.track(tracks_.TrackOf(counter.thread, counter.time));
    series.pid = track.pid;
    absl::StrAppend(&series.name, " of ", track.tid);
  } else if (counter.cpu >= 0) {
    tracks_.Cpu(counter.cpu);
  } else {
    tracks_.Cpus();
  }
  if (counter.cpu >= 0) {
    absl::StrAppend(&series.name, " on CPU ", counter.cpu);
  }
  series.unit = tables_.strings[tables_.strings.Intern(
      event.counter_unit.empty() ? event.unit : event.counter_unit)];
  // A count that began before the trace's first event is shown from the trace's
  // start on.
  series.end = trace_.start().value_or(0);
  return series;
}

void ChromeCounters::OnCounter(const Counter& counter) {
  if (!counter.time.has_value()) return;
  const auto key = std::tuple{counter.event, counter.thread, counter.cpu};
  auto [it, inserted] = series_.try_emplace(key);
  Series& series = it->second;
  if (inserted) {
    trace_.NoteTime(counter.since.value_or(*counter.time));
    series = Start(counter);
    names_ += series.name.size();
  }
  const uint64_t since =
      std::clamp(counter.since.value_or(series.end),
                 std::min(series.end, *counter.time), *counter.time);
  if (since > series.end && !inserted) {
    trace_.Counter(series.name, series.pid, series.end, series.unit, 0);
  }
  trace_.Counter(series.name, series.pid, since, series.unit, counter.value);
  series.end = *counter.time;
}

void ChromeCounters::Finish() {
  for (const auto& [key, series] : series_) {
    trace_.Counter(series.name, series.pid, series.end, series.unit, 0);
  }
}

}  // namespace perf2x
