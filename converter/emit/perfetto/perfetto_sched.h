// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_PERFETTO_PERFETTO_SCHED_H_
#define PERF2X_EMIT_PERFETTO_PERFETTO_SCHED_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "converter/emit/perfetto/perfetto_ftrace.h"
#include "converter/emit/perfetto/perfetto_threads.h"
#include "converter/emit/sched_timeline.h"

namespace perf2x {

// Returns a thread's state as bits, as in prev_state of sched:sched_switch.
// `letters` are the state as text: "S", "D", "R+". "R" and unknown letters have
// no bit. The bits depend on the kernel's `release` ("6.1.0-13-amd64"). A
// release that cannot be parsed counts as older than 4.8.
uint64_t TaskStateBits(absl::string_view letters, absl::string_view release);

// Writes which thread each CPU ran, as context switches. Shows a CPU as idle
// while its thread is not known. Not thread-safe.
class PerfettoSched final : public SchedSink {
 public:
  // `release` is the recorded kernel's; empty: not known. `threads` and
  // `ftrace` must outlive this.
  PerfettoSched(std::string release, const PerfettoThreads& threads,
                PerfettoFtrace& ftrace)
      : release_(std::move(release)), threads_(threads), ftrace_(ftrace) {}

  // Returns true for tid 0.
  bool IsIdle(TrackId track) const override {
    return threads_.row(track).tid == 0;
  }
  // Returns true for the one row of exited threads, whose tid the kernel
  // recorded as -1.
  bool IsGone(TrackId track) const override {
    return threads_.row(track).tid == kUnknownThread;
  }
  // Writes the switch to the thread at `begin`. Keeps `end` until the CPU's
  // next run.
  void OnCpuRun(int32_t cpu, TrackId track, uint64_t begin, uint64_t end,
                absl::string_view letters) override;
  // Writes the end of each CPU's last run. To be called once, after
  // SchedTimeline::Finish and before PerfettoFtrace::Finish.
  void Finish();

 private:
  // The last run of a CPU, whose end is not written yet.
  struct Run {
    uint64_t end = 0;
    uint64_t state = 0;  // of the thread
  };

  const std::string release_;
  const PerfettoThreads& threads_;
  PerfettoFtrace& ftrace_;
  std::map<int32_t, Run> last_;  // by CPU
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_PERFETTO_PERFETTO_SCHED_H_
