// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_CHROME_CHROME_SCHED_H_
#define PERF2X_EMIT_CHROME_CHROME_SCHED_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "converter/emit/chrome/chrome_trace.h"
#include "converter/emit/chrome/chrome_tracks.h"
#include "converter/model/emitter.h"

namespace perf2x {

// Shows scheduling: states on the threads' rows, running slices on a row for
// each CPU, wake-ups as arrows between the CPUs' slices, and migrations. A
// thread is shown as running only from a recorded switch-in to a recorded
// switch-out or exit. Not thread-safe.
class ChromeSched {
 public:
  // With `migrations`, shows changes of CPU as instants. Recordings of the
  // tracepoint sched:sched_migrate_task have such instants already.
  ChromeSched(ChromeTracks& tracks, ChromeTrace& trace, bool migrations)
      : tracks_(tracks), trace_(trace), migrations_(migrations) {}

  // `track` is the row of `event.thread`. `blocked_in` is the function in which
  // the thread waits, or empty; it must stay valid until the thread runs again.
  void OnSwitch(TrackId track, const Switch& event,
                absl::string_view blocked_in);
  // `woken` is the woken thread's track.
  void OnWakeup(TrackId woken, const Wakeup& event);
  void OnExit(TrackId track, uint64_t time);
  // A thread begins; its pid and tid may be those of an exited thread.
  void OnFork(TrackId child);
  // Records of `cpu` (-1: of any CPU) were lost, so it is not known which
  // threads run.
  void OnLost(int32_t cpu);
  // Returns the approximate memory of the CPUs' states, in bytes.
  uint64_t memory() const { return cpus_.size() * (sizeof(CpuState) + 64); }
  // Ends waiting states, and the runs of exited threads. Runs without a
  // recorded end are not shown.
  void Finish(uint64_t time);

 private:
  struct ThreadState {
    enum { kUnknown, kRunning, kWaiting } phase = kUnknown;
    uint32_t losses = 0;  // value of losses_ when the state began
    // For kWaiting: the state in the scheduler's letters; "R" is runnable.
    std::string state;
    absl::string_view blocked_in;
    uint64_t since = 0;
    int32_t cpu = -1;  // the CPU on which the thread ran last
    // Time and CPU of the wake-up before the run that follows or, if the thread
    // runs, before this run. Absent if the wake-up cannot be shown.
    std::optional<uint64_t> woken_at;
    int32_t woken_on = -1;
    // Exit time. The thread runs until its last switch-out.
    std::optional<uint64_t> exited;
  };
  // An arrow from a wake-up to the run of the woken thread.
  struct Arrow {
    uint64_t woken_at;
    ChromeTrack to;
    uint64_t ran_at;
  };
  struct CpuState {
    TrackId running = kNoId;  // kNoId: idle, or not known
    uint64_t since = 0;
    // Threads that were woken during this run.
    absl::flat_hash_set<TrackId> woken;
    // Arrows from this slice to slices already shown; written once this slice
    // is.
    std::vector<Arrow> arrows;
  };

  ThreadState& StateOf(TrackId track) {
    if (track >= threads_.size()) threads_.resize(track + 1);
    ThreadState& state = threads_[track];
    // Records were lost: the thread may have run meanwhile and be waiting
    // again.
    if (state.phase == ThreadState::kWaiting && state.losses != losses_) {
      MakeUnknown(state);
    }
    state.losses = losses_;
    return state;
  }
  bool IsIdle(TrackId track) const { return tracks_.track(track).tid == 0; }
  // Returns true for an exited thread for which the kernel recorded the tid -1.
  bool IsGone(TrackId track) const {
    return tracks_.track(track).tid == kNoThread;
  }
  // Returns true if no other thread was seen on `cpu` since the thread's
  // switch-in.
  bool RunsOn(TrackId track, const ThreadState& state, int32_t cpu) const;
  // Ends the run on a CPU without showing it.
  void Drop(int32_t cpu, CpuState& state);
  void Forget(int32_t cpu, CpuState& on);
  static void MakeUnknown(ThreadState& state);
  void EndExited(TrackId track, uint64_t time);
  void In(TrackId track, ThreadState& state, uint64_t time, int32_t cpu);
  void Out(TrackId track, ThreadState& state, uint64_t time,
           const Switch& event, absl::string_view blocked_in);
  void EndRunning(TrackId track, const ThreadState& state, uint64_t time);
  void EndWaiting(TrackId track, const ThreadState& state, uint64_t time);
  void EndCpu(int32_t cpu, CpuState& state, uint64_t time);
  void ShowArrows(int32_t cpu, CpuState& state);
  static void Clear(CpuState& state);

  ChromeTracks& tracks_;
  ChromeTrace& trace_;
  const bool migrations_;
  // If set, switches come from the tracepoint sched:sched_switch, which also
  // fires when an exited thread leaves its CPU.
  bool traced_ = false;
  uint32_t losses_ = 0;               // number of OnLost calls
  std::vector<ThreadState> threads_;  // by TrackId
  std::map<int32_t, CpuState> cpus_;
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_CHROME_CHROME_SCHED_H_
