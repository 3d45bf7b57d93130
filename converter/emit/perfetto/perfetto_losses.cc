// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/perfetto/perfetto_losses.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace perf2x {

uint64_t PerfettoLosses::LossesUuid() {
  if (losses_ == 0) losses_ = events_.AddTrack("Losses", 0);
  return losses_;
}

uint64_t PerfettoLosses::UuidOf(int32_t cpu, ThreadId thread) {
  if (cpu < 0) {
    return thread == kNoId ? LossesUuid()
                           : threads_.ThreadUuid(threads_.TrackOf(thread));
  }
  uint64_t& uuid = cpus_[cpu];
  if (uuid == 0) {
    uuid = events_.AddTrack(absl::StrCat("CPU ", cpu), LossesUuid());
    Account();
  }
  return uuid;
}

void PerfettoLosses::Account() {
  constexpr uint64_t kOfCpu = 32, kOfThrottle = 96;
  memory_.Set(cpus_.size() * kOfCpu + throttled_.size() * kOfThrottle);
}

void PerfettoLosses::OnLost(const Lost& lost) {
  const Field args[] = {{"count", lost.count}};
  events_.Instant(lost.is_samples ? "lost samples" : "lost records", "loss",
                  UuidOf(lost.cpu, lost.thread), *lost.time, args);
}

void PerfettoLosses::OnAuxGap(const AuxGap& gap) {
  std::vector<Field> args = {{"why", gap.reason}};
  if (gap.thread != kNoId && tables_.threads[gap.thread].tid >= 0) {
    const Thread& thread = tables_.threads[gap.thread];
    args.push_back({"pid", int64_t{thread.pid}});
    args.push_back({"tid", int64_t{thread.tid}});
  }
  events_.Instant("AUX data missing", "loss", UuidOf(gap.cpu, gap.thread),
                  *gap.time, args);
}

// Throttles of several events overlap, so each has a track of its own.
uint64_t PerfettoLosses::AddThrottleTrack(const Throttle& throttle) {
  std::string name = "throttled";
  if (throttle.event != kNoId) {
    absl::StrAppend(&name, " ", tables_.events[throttle.event].name);
  }
  return events_.AddTrack(name, UuidOf(throttle.cpu, throttle.thread));
}

void PerfettoLosses::OnThrottle(const Throttle& throttle) {
  const Key key(throttle.event, throttle.cpu, throttle.thread);
  if (throttle.begin) {
    Throttled& of = throttled_[key];
    if (of.open) return;
    if (of.track == 0) of.track = AddThrottleTrack(throttle);
    of.open = true;
    of.begin = *throttle.time;
    return Account();
  }
  const auto of = throttled_.find(key);
  if (of == throttled_.end() || !of->second.open) return;
  of->second.open = false;
  events_.Slice("throttled", "loss", of->second.track, of->second.begin,
                std::max(of->second.begin, *throttle.time), {});
}

void PerfettoLosses::Finish(uint64_t time) {
  for (auto& [key, of] : throttled_) {
    if (!of.open) continue;
    events_.Slice("throttled", "loss", of.track, of.begin,
                  std::max(of.begin, time), {});
  }
}

}  // namespace perf2x
