#include "converter/emit/chrome_losses.h"

#include <algorithm>

namespace perf2x {

void ChromeLosses::Show(absl::string_view what, int32_t cpu, uint64_t time,
                        ChromeTrace::Args args) {
  if (cpu >= 0) {
    trace_.Instant(what, "loss", tracks_.Cpu(cpu), time, args);
  } else {
    trace_.GlobalInstant(what, "loss", tracks_.Cpu(0), time, args);
  }
}

void ChromeLosses::OnLost(const Lost& lost) {
  Show(lost.samples ? "lost samples" : "lost records", lost.cpu, *lost.time,
       [&lost](JsonWriter& json) {
         json.Key("count");
         json.Uint(lost.count);
       });
}

void ChromeLosses::OnAuxGap(const AuxGap& gap) {
  Show("AUX data missing", gap.cpu, *gap.time, [&](JsonWriter& json) {
    json.Key("why");
    json.String(gap.why);
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
  const auto open = std::find_if(
      throttled_.begin(), throttled_.end(), [&throttle](const auto& begun) {
        return begun.event == throttle.event && begun.cpu == throttle.cpu;
      });
  if (throttle.begin) {
    if (open == throttled_.end()) throttled_.push_back(throttle);
    return;
  }
  if (open == throttled_.end()) return;
  EndThrottle(*open, *throttle.time);
  throttled_.erase(open);
}

void ChromeLosses::EndThrottle(const Throttle& begun, uint64_t time) {
  trace_.AsyncSlice("throttled", "loss", tracks_.Cpu(begun.cpu),
                    static_cast<uint64_t>(std::max(begun.cpu, 0)), *begun.time,
                    std::max(*begun.time, time), [&](JsonWriter& json) {
                      if (begun.event == kNoId) return;
                      json.Key("event");
                      json.String(tables_.events[begun.event].name);
                    });
}

void ChromeLosses::Finish(uint64_t time) {
  for (const Throttle& begun : throttled_) EndThrottle(begun, time);
}

}  // namespace perf2x
