// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_SCHED_TIMELINE_H_
#define PERF2X_EMIT_SCHED_TIMELINE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "converter/emit/track_id.h"
#include "converter/model/emitter.h"

namespace perf2x {

// Receives what SchedTimeline infers. All times are ns on the recording's
// clock. An end is never before its begin. The idle thread is never reported.
// "Run" means the time from a switch-in to the next switch-out.
class SchedSink {
 public:
  virtual ~SchedSink() = default;
  // Returns true for the kernel's idle thread.
  virtual bool IsIdle(TrackId track) const = 0;
  // Returns true for the row of exited threads: the kernel recorded their tid
  // as -1.
  virtual bool IsGone(TrackId track) const = 0;

  // A thread ran on `cpu`; -1: not known.
  virtual void OnRunning(TrackId, uint64_t /*begin*/, uint64_t /*end*/,
                         int32_t /*cpu*/) {}
  // A thread did not run. `letters` is the scheduler's state: "R" or "R+" for a
  // wait for a CPU; "S", "D" and others for sleep. `blocked_in` is the function
  // in which the thread slept; empty: not known.
  virtual void OnWaiting(TrackId, absl::string_view /*letters*/,
                         uint64_t /*begin*/, uint64_t /*end*/,
                         absl::string_view /*blocked_in*/) {}
  // A CPU ran a thread. `letters` is the thread's state at `end`; "X": exited.
  // `cpu` is not negative. Calls for one CPU are in order of time.
  virtual void OnCpuRun(int32_t cpu, TrackId track, uint64_t begin,
                        uint64_t end, absl::string_view letters) = 0;
  // A thread was woken on the CPU `from` at the time `woken`. It began to run
  // on the CPU `to` at the time `ran`. `from` and `to` may be equal. Both times
  // lie in runs that were passed to OnCpuRun before.
  virtual void OnWokenRun(int32_t /*from*/, uint64_t /*woken*/, int32_t /*to*/,
                          uint64_t /*ran*/) {}
  // A thread that last ran on the CPU `from` began to run on the CPU `to`. `to`
  // is -1 if not known. `from` is always known.
  virtual void OnMigration(TrackId, uint64_t /*time*/, int32_t /*from*/,
                           int32_t /*to*/) {}
};

// Infers from switches and wake-ups when threads ran and waited, and which
// thread each CPU ran. A thread counts as running only from a recorded
// switch-in to a recorded switch-out or exit. To be called in order of time.
// Charges no budget. Not thread-safe.
class SchedTimeline {
 public:
  // `sink` must outlive this.
  explicit SchedTimeline(SchedSink& sink) : sink_(sink) {}

  // `track` is the row of `event.thread`. `event.time` must be present.
  // `blocked_in` is the function in which the thread waits; empty: not known.
  // Its text must stay valid until the thread runs again, or until Finish
  // returns.
  void OnSwitch(TrackId track, const Switch& event,
                absl::string_view blocked_in);
  // `woken` is the row of `event.woken`. `event.time` must be present.
  void OnWakeup(TrackId woken, const Wakeup& event);
  // A thread exits at `time`. Its last run ends with its last switch-out. If no
  // switch-out is recorded, the run ends at `time`.
  void OnExit(TrackId track, uint64_t time);
  // A thread begins. An exited thread may have had the same row.
  void OnFork(TrackId child);
  // A thread executes a program. If it had exited, another thread of its
  // process called exec, and now has its tid.
  void OnExec(TrackId track) { OnFork(track); }
  // Records of `cpu` (-1: of any CPU) were lost. The open run of this CPU, and
  // the open waits of all threads, are dropped: their ends are not known.
  void OnLost(int32_t cpu);
  // Returns the approximate memory of the CPUs' states, in bytes. The threads'
  // states are not included.
  uint64_t memory() const { return cpus_.size() * (sizeof(CpuState) + 64); }
  // Ends open waits at `time`, and open runs of exited threads at their exits.
  // Drops all other open runs. To be called once, last.
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
    // Time and CPU of the wake-up that led to the present run or, if the thread
    // does not run, to the next run. Absent if the wake-up cannot be shown.
    std::optional<uint64_t> woken_at;
    int32_t woken_on = -1;
    // Exit time. The thread runs until its last switch-out.
    std::optional<uint64_t> exited;
  };
  // An arrow from a wake-up to the run of the woken thread.
  struct Arrow {
    uint64_t woken_at;
    int32_t to;  // CPU
    uint64_t ran_at;
  };
  struct CpuState {
    TrackId running = kNoId;  // kNoId: idle, or not known
    uint64_t since = 0;
    // Threads that were woken during this run.
    absl::flat_hash_set<TrackId> woken;
    // Arrows from this run to runs already reported. They are reported with
    // this run.
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
  bool IsIdle(TrackId track) const { return sink_.IsIdle(track); }
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
  void EndCpu(int32_t cpu, CpuState& state, uint64_t time,
              absl::string_view letters);
  void ReportArrows(int32_t cpu, CpuState& state);
  static void Clear(CpuState& state);

  SchedSink& sink_;
  // If set, switches come from the tracepoint sched:sched_switch, which also
  // fires when an exited thread leaves its CPU.
  bool traced_ = false;
  uint32_t losses_ = 0;               // number of OnLost calls
  std::vector<ThreadState> threads_;  // by TrackId
  std::map<int32_t, CpuState> cpus_;
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_SCHED_TIMELINE_H_
