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

// Shows who ran where: states on the threads' rows, running slices on a row a
// CPU, wake-ups as arrows between those, and migrations. Only what the
// recording says is shown: a thread runs from a switch-in to its switch-out.
class ChromeSched {
 public:
  // `migrations`: whether to show them; a recording that has the tracepoint
  // shows them by itself.
  ChromeSched(ChromeTracks& tracks, ChromeTrace& trace, bool migrations)
      : tracks_(tracks), trace_(trace), migrations_(migrations) {}

  // `track` is that of `event.thread`; `blocked_in` the function that it waits
  // in from here on, may be empty. Kept until it runs again.
  void OnSwitch(TrackId track, const Switch& event,
                absl::string_view blocked_in);
  // `woken` is the track of the thread that was woken.
  void OnWakeup(TrackId woken, const Wakeup& event);
  void OnExit(TrackId track, uint64_t time);
  // A thread begins, maybe under the numbers of one that is gone.
  void OnFork(TrackId child);
  // Records were lost, on one CPU or (-1) anywhere: who runs is not known.
  void OnLost(int32_t cpu);
  // Ends what is open.
  void Finish(uint64_t time);

 private:
  struct ThreadState {
    enum { kUnknown, kRunning, kWaiting } what = kUnknown;
    uint32_t losses = 0;  // how often records had been lost when it began
    // Of kWaiting, in the scheduler's letters; "R": it could run.
    std::string state;
    absl::string_view blocked_in;
    uint64_t since = 0;
    int32_t cpu = -1;  // where it ran last
    // Where and when it was woken last, if that can be shown.
    std::optional<uint64_t> woken_at;
    int32_t woken_on = -1;
    // When it exited. It runs on until its last switch-out.
    std::optional<uint64_t> exited;
  };
  // From a wake-up to where the woken thread ran.
  struct Arrow {
    uint64_t woken_at;
    ChromeTrack to;
    uint64_t ran_at;
  };
  struct CpuState {
    TrackId running = kNoId;  // kNoId: idle, or not known
    uint64_t since = 0;
    // Where and when it was woken before, if that can be shown.
    std::optional<uint64_t> woken_at;
    int32_t woken_on = -1;
    // To slices that are shown, for when this one is.
    std::vector<Arrow> arrows;
  };

  ThreadState& Of(TrackId track) {
    if (track >= threads_.size()) threads_.resize(track + 1);
    ThreadState& state = threads_[track];
    // It may have run since and be back in the same state.
    if (state.what == ThreadState::kWaiting && state.losses != losses_) {
      MakeUnknown(state);
    }
    state.losses = losses_;
    return state;
  }
  bool IsIdle(TrackId track) const { return tracks_.track(track).tid == 0; }
  // Whether the kernel no longer knew the number of what ran: it has exited.
  bool IsGone(TrackId track) const {
    return tracks_.track(track).tid == kNoPid;
  }
  // Whether nothing says that another one ran there since it was switched in.
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
  // Whether switches come from the tracepoint, which also sees a thread that
  // has exited leave its CPU.
  bool traced_ = false;
  uint32_t losses_ = 0;               // OnLost calls
  std::vector<ThreadState> threads_;  // by TrackId
  std::map<int32_t, CpuState> cpus_;
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_CHROME_CHROME_SCHED_H_
