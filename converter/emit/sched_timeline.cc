// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/sched_timeline.h"

#include <algorithm>

namespace perf2x {

void SchedTimeline::EndRunning(TrackId track, const ThreadState& state,
                               uint64_t time) {
  if (IsIdle(track)) return;
  sink_.OnRunning(track, state.since, std::max(state.since, time), state.cpu);
}

void SchedTimeline::EndWaiting(TrackId track, const ThreadState& state,
                               uint64_t time) {
  if (IsIdle(track)) return;
  sink_.OnWaiting(track, state.state, state.since, std::max(state.since, time),
                  state.blocked_in);
}

void SchedTimeline::EndCpu(int32_t cpu, CpuState& state, uint64_t time,
                           absl::string_view letters) {
  if (state.running == kNoId) return;
  sink_.OnCpuRun(cpu, state.running, state.since, std::max(state.since, time),
                 letters);
  ReportArrows(cpu, state);
  Clear(state);
}

// Both ends of an arrow must lie in runs that are reported. Whether a run is
// reported is known when it ends, so the arrow is reported with the run that
// ends last.
void SchedTimeline::ReportArrows(int32_t cpu, CpuState& state) {
  for (const Arrow& arrow : state.arrows) {
    sink_.OnWokenRun(cpu, arrow.woken_at, arrow.to, arrow.ran_at);
  }
  const ThreadState& ran = threads_[state.running];
  if (!ran.woken_at.has_value() || *ran.woken_at > state.since) return;
  CpuState& waker = cpus_[ran.woken_on];
  if (waker.running != kNoId && waker.since < *ran.woken_at) {
    waker.arrows.push_back({*ran.woken_at, cpu, state.since});
  } else {
    sink_.OnWokenRun(ran.woken_on, *ran.woken_at, cpu, state.since);
  }
}

void SchedTimeline::Clear(CpuState& state) {
  state.running = kNoId;
  state.woken.clear();
  state.arrows.clear();
}

// No arrow may start in a run that is not shown.
void SchedTimeline::Drop(int32_t cpu, CpuState& state) {
  for (const TrackId track : state.woken) {
    ThreadState& woken = threads_[track];
    if (woken.woken_on == cpu && woken.woken_at > state.since) {
      woken.woken_at.reset();
    }
  }
  Clear(state);
}

bool SchedTimeline::RunsOn(TrackId track, const ThreadState& state,
                           int32_t cpu) const {
  if (state.phase != ThreadState::kRunning || state.cpu != cpu) return false;
  if (cpu < 0 || IsIdle(track)) return true;  // these are not in cpus_
  auto on = cpus_.find(cpu);
  return on != cpus_.end() && on->second.running == track;
}

void SchedTimeline::MakeUnknown(ThreadState& state) {
  const std::optional<uint64_t> exited = state.exited;
  state = ThreadState();
  state.exited = exited;
}

// The thread that ran on this CPU was switched out without a record, so the
// time is not known. For a thread that exited, the time of its exit is near
// enough.
void SchedTimeline::Forget(int32_t cpu, CpuState& on) {
  if (on.running != kNoId) {
    ThreadState& state = threads_[on.running];
    if (state.exited.has_value() && !traced_) {
      EndExited(on.running, *state.exited);
    } else {
      MakeUnknown(state);
    }
  }
  Drop(cpu, on);
}

// Ends the last run of a thread that exited.
void SchedTimeline::EndExited(TrackId track, uint64_t time) {
  ThreadState& state = threads_[track];
  EndRunning(track, state, time);
  auto on = cpus_.find(state.cpu);
  if (on != cpus_.end() && on->second.running == track) {
    EndCpu(state.cpu, on->second, time, "X");
  }
  MakeUnknown(state);
}

void SchedTimeline::In(TrackId track, ThreadState& state, uint64_t time,
                       int32_t cpu) {
  // The switch-in was recorded twice, by the tracepoint and by a SWITCH record.
  if (RunsOn(track, state, cpu)) return;
  const int32_t before = state.cpu;
  if (state.phase == ThreadState::kUnknown) state.exited.reset();
  if (state.phase == ThreadState::kWaiting) EndWaiting(track, state, time);
  if (state.phase == ThreadState::kRunning) state.woken_at.reset();
  if (state.phase == ThreadState::kRunning && before >= 0) {
    CpuState& left = cpus_[before];
    if (left.running == track) Drop(before, left);
  }
  if (before >= 0 && cpu >= 0 && before != cpu && !IsIdle(track)) {
    sink_.OnMigration(track, time, before, cpu);
  }
  state.phase = ThreadState::kRunning;
  state.since = time;
  state.cpu = cpu;
  if (cpu < 0) return;
  CpuState& on = cpus_[cpu];
  Forget(cpu, on);
  if (IsIdle(track)) return;
  on.running = track;
  on.since = time;
}

void SchedTimeline::Out(TrackId track, ThreadState& state, uint64_t time,
                        const Switch& event, absl::string_view blocked_in) {
  // Without the scheduler's letters, only whether the thread could run is
  // known.
  const absl::string_view letters = !event.state.empty() ? event.state
                                    : event.preempted    ? "R+"
                                                         : "S";
  if (RunsOn(track, state, event.cpu)) {
    EndRunning(track, state, time);
  } else if (traced_ && event.state.empty()) {
    return;  // a SWITCH record that repeats the tracepoint
  }
  if (event.cpu >= 0) {
    CpuState& on = cpus_[event.cpu];
    if (on.running == track) {
      EndCpu(event.cpu, on, time, letters);
    } else if (sink_.IsGone(track) && on.running != kNoId &&
               threads_[on.running].exited.has_value()) {
      EndExited(on.running, time);
    } else {
      Forget(event.cpu, on);
    }
  }
  state.phase = ThreadState::kWaiting;
  state.since = time;
  state.cpu = event.cpu;
  state.woken_at.reset();
  state.state = std::string(letters);
  const bool could_run = letters[0] == 'R';
  state.blocked_in = could_run ? "" : blocked_in;
  // An exited thread waits for nothing.
  if (state.state[0] == 'X' || state.state[0] == 'Z' || sink_.IsGone(track) ||
      (!could_run && state.exited.has_value())) {
    state.phase = ThreadState::kUnknown;
  }
}

void SchedTimeline::OnSwitch(TrackId track, const Switch& event,
                             absl::string_view blocked_in) {
  const uint64_t time = *event.time;
  ThreadState& state = StateOf(track);
  traced_ |= !event.state.empty();
  if (event.out) {
    Out(track, state, time, event, blocked_in);
  } else {
    In(track, state, time, event.cpu);
  }
}

void SchedTimeline::OnWakeup(TrackId woken, const Wakeup& event) {
  ThreadState& state = StateOf(woken);
  // The thread is awake already: it was woken twice, or before it had gone to
  // sleep.
  if (state.phase == ThreadState::kRunning ||
      (state.phase == ThreadState::kWaiting && state.state[0] == 'R')) {
    return;
  }
  const uint64_t time = *event.time;
  if (state.phase == ThreadState::kWaiting) EndWaiting(woken, state, time);
  state.exited.reset();
  state.phase = ThreadState::kWaiting;
  state.state.assign(1, 'R');
  state.blocked_in = "";
  state.since = time;
  // An arrow must start in a slice. An idle CPU, whose interrupts may also wake
  // threads, has no slice.
  auto from = cpus_.find(event.cpu);
  if (from != cpus_.end() && from->second.running != kNoId &&
      from->second.since < time) {
    state.woken_at = time;
    state.woken_on = event.cpu;
    from->second.woken.insert(woken);
  }
}

// The kernel switches the thread out only some time later, and may even switch
// it in once more before. If that switch-out is not recorded, the run ends with
// the exit.
void SchedTimeline::OnExit(TrackId track, uint64_t time) {
  ThreadState& state = StateOf(track);
  // A thread that exits is running, even if its switch-in was not recorded.
  if (state.phase == ThreadState::kWaiting) MakeUnknown(state);
  state.exited = time;
}

void SchedTimeline::OnFork(TrackId child) {
  ThreadState& state = StateOf(child);
  if (!state.exited.has_value()) return;
  if (state.phase == ThreadState::kRunning && !traced_) {
    EndExited(child, *state.exited);
  }
  state = ThreadState();
}

void SchedTimeline::OnLost(int32_t cpu) {
  ++losses_;  // makes waiting threads unknown; see StateOf
  if (cpu < 0) {
    for (auto& [number, state] : cpus_) Forget(number, state);
    cpus_.clear();
  } else if (auto on = cpus_.find(cpu); on != cpus_.end()) {
    Forget(cpu, on->second);
  }
}

void SchedTimeline::Finish(uint64_t time) {
  for (TrackId track = 0; track < threads_.size(); ++track) {
    const ThreadState& state = StateOf(track);
    // A thread that still runs is not shown: a run ends with a switch-out, as
    // it does for perf.
    if (state.exited.has_value()) {
      if (state.phase != ThreadState::kRunning || traced_) continue;
      EndExited(track, *state.exited);
    } else if (state.phase == ThreadState::kWaiting) {
      EndWaiting(track, state, time);
    }
  }
}

}  // namespace perf2x
