// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/chrome/chrome_losses.h"

#include <algorithm>
#include <vector>

namespace perf2x {

std::optional<ChromeTrack> ChromeLosses::RowOf(int32_t cpu, ThreadId thread) {
  if (cpu >= 0) return tracks_.Cpu(cpu);
  if (thread == kNoId) return std::nullopt;
  return tracks_.track(tracks_.TrackOf(thread));
}

void ChromeLosses::ShowInstant(absl::string_view name, int32_t cpu,
                               ThreadId thread, uint64_t time,
                               ChromeTrace::Args args) {
  const std::optional<ChromeTrack> row = RowOf(cpu, thread);
  if (row.has_value()) {
    trace_.Instant(name, "loss", *row, time, args);
  } else {
    trace_.GlobalInstant(name, "loss", tracks_.Cpus(), time, args);
  }
}

void ChromeLosses::OnLost(const Lost& lost) {
  ShowInstant(lost.is_samples ? "lost samples" : "lost records", lost.cpu,
              lost.thread, *lost.time, [&lost](JsonWriter& json) {
                json.Key("count");
                json.Uint(lost.count);
              });
}

void ChromeLosses::OnAuxGap(const AuxGap& gap) {
  ShowInstant("AUX data missing", gap.cpu, gap.thread, *gap.time,
              [&](JsonWriter& json) {
                json.Key("why");
                json.String(gap.reason);
                if (gap.thread == kNoId) return;
                const Thread& thread = tables_.threads[gap.thread];
                if (thread.tid < 0) return;
                json.Key("pid");
                json.Int(thread.pid);
                json.Key("tid");
                json.Int(thread.tid);
              });
}

void ChromeLosses::OnThrottle(const Throttle& throttle) {
  trace_.NoteTime(*throttle.time);  // sets the start if this is the first event
  const std::tuple key(throttle.event, throttle.cpu, throttle.thread);
  if (throttle.begin) {
    throttled_.try_emplace(key, OpenThrottle{throttle, opened_++});
    return;
  }
  const auto open = throttled_.find(key);
  if (open == throttled_.end()) return;
  EndThrottle(open->second.throttle, *throttle.time);
  throttled_.erase(open);
}

void ChromeLosses::EndThrottle(const Throttle& begun, uint64_t time) {
  const std::optional<ChromeTrack> known = RowOf(begun.cpu, begun.thread);
  const ChromeTrack row = known.has_value() ? *known : tracks_.Cpus();
  // The id gives each CPU or thread of a process its own row of these slices.
  trace_.AsyncSlice("throttled", "loss", row, static_cast<uint64_t>(row.tid),
                    *begun.time, std::max(*begun.time, time),
                    [&](JsonWriter& json) {
                      if (begun.event == kNoId) return;
                      json.Key("event");
                      json.String(tables_.events[begun.event].name);
                    });
}

void ChromeLosses::Finish(uint64_t time) {
  std::vector<OpenThrottle> left;
  for (const auto& [key, begun] : throttled_) left.push_back(begun);
  std::sort(left.begin(), left.end(),
            [](const OpenThrottle& a, const OpenThrottle& b) {
              return a.order < b.order;
            });
  for (const OpenThrottle& begun : left) EndThrottle(begun.throttle, time);
}

}  // namespace perf2x
