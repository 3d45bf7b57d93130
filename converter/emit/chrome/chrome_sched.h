// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_CHROME_CHROME_SCHED_H_
#define PERF2X_EMIT_CHROME_CHROME_SCHED_H_

#include <algorithm>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "converter/emit/chrome/chrome_trace.h"
#include "converter/emit/chrome/chrome_tracks.h"
#include "converter/emit/sched_timeline.h"

namespace perf2x {

// Shows the scheduling of threads: their states on their rows, what each CPU
// ran on the CPU's row, wake-ups as arrows between CPUs' rows, and migrations.
// Not thread-safe.
class ChromeSched final : public SchedSink {
 public:
  // If `migrations` is set, shows changes of CPU as instants. Do not set it for
  // recordings of the tracepoint sched:sched_migrate_task: its samples are
  // instants already. References must outlive this.
  ChromeSched(ChromeTracks& tracks, ChromeTrace& trace, bool migrations)
      : tracks_(tracks), trace_(trace), migrations_(migrations) {}

  // Returns true for tid 0.
  bool IsIdle(TrackId track) const override {
    return tracks_.track(track).tid == 0;
  }
  // Returns true for the row of threads with a negative tid.
  bool IsGone(TrackId track) const override {
    return tracks_.track(track).tid == kNoThread;
  }
  // These two show a state on the thread's row.
  void OnRunning(TrackId track, uint64_t begin, uint64_t end,
                 int32_t cpu) override {
    trace_.ThreadState("Running", tracks_.track(track), begin, end, cpu,
                       /*blocked_in=*/"");
  }
  void OnWaiting(TrackId track, absl::string_view letters, uint64_t begin,
                 uint64_t end, absl::string_view blocked_in) override {
    trace_.ThreadState(letters, tracks_.track(track), begin, end, /*cpu=*/-1,
                       blocked_in);
  }
  // Shows a slice on the CPU's row, with the thread's name and tid.
  void OnCpuRun(int32_t cpu, TrackId track, uint64_t begin, uint64_t end,
                absl::string_view /*letters*/) override {
    // Ends a nanosecond early: where one slice begins as another ends, viewers
    // may take them for nested; see ChromeSlices::Close.
    trace_.Slice(tracks_.NameAndTid(track), "sched", tracks_.Cpu(cpu), begin,
                 std::max(begin, end - std::min<uint64_t>(end, 1)));
  }
  // Shows an arrow from the waking CPU's row to the row of the CPU that ran.
  void OnWokenRun(int32_t from, uint64_t woken, int32_t to,
                  uint64_t ran) override {
    trace_.Flow("wakeup", "sched", tracks_.Cpu(from), woken, tracks_.Cpu(to),
                ran);
  }
  // Shows an instant on the thread's row, if `migrations` is set.
  void OnMigration(TrackId track, uint64_t time, int32_t from,
                   int32_t to) override {
    if (!migrations_) return;
    trace_.Instant("migration", "sched", tracks_.track(track), time,
                   [from, to](JsonWriter& json) {
                     json.Key("from_cpu");
                     json.Int(from);
                     json.Key("to_cpu");
                     json.Int(to);
                   });
  }

 private:
  ChromeTracks& tracks_;
  ChromeTrace& trace_;
  const bool migrations_;
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_CHROME_CHROME_SCHED_H_
