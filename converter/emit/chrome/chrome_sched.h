// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_CHROME_CHROME_SCHED_H_
#define PERF2X_EMIT_CHROME_CHROME_SCHED_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "converter/emit/chrome/chrome_trace.h"
#include "converter/emit/chrome/chrome_tracks.h"
#include "converter/model/emitter.h"

namespace perf2x {

// Shows scheduling: states on the threads' rows, running slices on a row for
// each CPU, wake-ups as arrows between these, and migrations. A thread runs
// from a recorded switch-in to a recorded switch-out; nothing is inferred. Not
// thread-safe.
class ChromeSched {
 public:
  // With `migrations`, shows them as instants. Recordings of the tracepoint
  // have such instants already.
  ChromeSched(ChromeTracks& tracks, ChromeTrace& trace, bool migrations)
      : tracks_(tracks), trace_(trace), migrations_(migrations) {}

  // `track` is `event.thread`'s. `blocked_in` is the function that it waits in,
  // or empty; valid until the thread runs again.
  void OnSwitch(TrackId track, const Switch& event,
                absl::string_view blocked_in);
  // `woken` is the woken thread's track.
  void OnWakeup(TrackId woken, const Wakeup& event);
  void OnExit(TrackId track, uint64_t time);
  // A thread begins; its numbers may be those of an exited thread.
  void OnFork(TrackId child);
  // Records of `cpu` (-1: of any) were lost, so running threads are not known.
  void OnLost(int32_t cpu);
  // Ends open states and slices.
  void Finish(uint64_t time);

 private:
  struct ThreadState {
    enum { kUnknown, kRunning, kWaiting } phase = kUnknown;
    uint32_t losses = 0;  // value of losses_ when the state began
    // For kWaiting, in the scheduler's letters; "R" is runnable.
    std::string state;
    absl::string_view blocked_in;
    uint64_t since = 0;
    int32_t cpu = -1;  // on which it ran last
    // Its last wake-up, if that can be shown.
    std::optional<uint64_t> woken_at;
    int32_t woken_on = -1;
    // Exit time. The thread runs until its last switch-out.
    std::optional<uint64_t> exited;
  };
  // From a wake-up to the run of the woken thread.
  struct Arrow {
    uint64_t woken_at;
    ChromeTrack to;
    uint64_t ran_at;
  };
  struct CpuState {
    TrackId running = kNoId;  // kNoId: idle, or not known
    uint64_t since = 0;
    // The wake-up before this run, if that can be shown.
    std::optional<uint64_t> woken_at;
    int32_t woken_on = -1;
    // From this slice to slices that are shown; written once this one is.
    std::vector<Arrow> arrows;
  };

  ThreadState& StateOf(TrackId track) {
    if (track >= threads_.size()) threads_.resize(track + 1);
    ThreadState& state = threads_[track];
    // The thread may have run unseen and be back in the same state.
    if (state.phase == ThreadState::kWaiting && state.losses != losses_) {
      MakeUnknown(state);
    }
    state.losses = losses_;
    return state;
  }
  bool IsIdle(TrackId track) const { return tracks_.track(track).tid == 0; }
  // Returns true for an exited thread, whose number the kernel no longer had.
  bool IsGone(TrackId track) const {
    return tracks_.track(track).tid == kNoPid;
  }
  // Returns true if no other thread was seen on `cpu` since its switch-in.
  bool RunsOn(TrackId track, const ThreadState& state, int32_t cpu) const;
  void Forget(CpuState& on);
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
  // If set, switches come from the tracepoint, which also fires when an exited
  // thread leaves its CPU.
  bool traced_ = false;
  uint32_t losses_ = 0;               // OnLost calls
  std::vector<ThreadState> threads_;  // by TrackId
  std::map<int32_t, CpuState> cpus_;
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_CHROME_CHROME_SCHED_H_
