// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/chrome/chrome_sched.h"

#include <algorithm>

namespace perf2x {

void ChromeSched::EndRunning(TrackId track, const ThreadState& state,
                             uint64_t time) {
  if (IsIdle(track)) return;
  trace_.ThreadState("Running", tracks_.track(track), state.since,
                     std::max(state.since, time), state.cpu,
                     /*blocked_in=*/"");
}

void ChromeSched::EndWaiting(TrackId track, const ThreadState& state,
                             uint64_t time) {
  if (IsIdle(track)) return;
  trace_.ThreadState(state.state, tracks_.track(track), state.since,
                     std::max(state.since, time), /*cpu=*/-1, state.blocked_in);
}

void ChromeSched::EndCpu(int32_t cpu, CpuState& state, uint64_t time) {
  if (state.running == kNoId) return;
  // Ends a nanosecond early for viewers' sake; see ChromeSlices::Close.
  trace_.Slice(tracks_.NameAndTid(state.running), "sched", tracks_.Cpu(cpu),
               state.since,
               std::max(state.since, time - std::min<uint64_t>(time, 1)));
  ShowArrows(cpu, state);
  Clear(state);
}

// Both ends of an arrow must lie in slices that are shown. Whether a slice is
// shown is known when it ends, so the arrow is written with the slice that ends
// last.
void ChromeSched::ShowArrows(int32_t cpu, CpuState& state) {
  const ChromeTrack row = tracks_.Cpu(cpu);
  for (const Arrow& arrow : state.arrows) {
    trace_.Flow("wakeup", "sched", row, arrow.woken_at, arrow.to, arrow.ran_at);
  }
  const ThreadState& ran = threads_[state.running];
  if (!ran.woken_at.has_value() || *ran.woken_at > state.since) return;
  CpuState& waker = cpus_[ran.woken_on];
  if (waker.running != kNoId && waker.since < *ran.woken_at) {
    waker.arrows.push_back({*ran.woken_at, row, state.since});
  } else {
    trace_.Flow("wakeup", "sched", tracks_.Cpu(ran.woken_on), *ran.woken_at,
                row, state.since);
  }
}

void ChromeSched::Clear(CpuState& state) {
  state.running = kNoId;
  state.woken.clear();
  state.arrows.clear();
}

// No arrow may start in a run that is not shown.
void ChromeSched::Drop(int32_t cpu, CpuState& state) {
  for (const TrackId track : state.woken) {
    ThreadState& woken = threads_[track];
    if (woken.woken_on == cpu && woken.woken_at > state.since) {
      woken.woken_at.reset();
    }
  }
  Clear(state);
}

bool ChromeSched::RunsOn(TrackId track, const ThreadState& state,
                         int32_t cpu) const {
  if (state.phase != ThreadState::kRunning || state.cpu != cpu) return false;
  if (cpu < 0 || IsIdle(track)) return true;  // these are not in cpus_
  auto on = cpus_.find(cpu);
  return on != cpus_.end() && on->second.running == track;
}

void ChromeSched::MakeUnknown(ThreadState& state) {
  const std::optional<uint64_t> exited = state.exited;
  state = ThreadState();
  state.exited = exited;
}

// The thread that ran on this CPU was switched out without a record, so the
// time is not known. For a thread that exited, the time of its exit is near
// enough.
void ChromeSched::Forget(int32_t cpu, CpuState& on) {
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
void ChromeSched::EndExited(TrackId track, uint64_t time) {
  ThreadState& state = threads_[track];
  EndRunning(track, state, time);
  auto on = cpus_.find(state.cpu);
  if (on != cpus_.end() && on->second.running == track) {
    EndCpu(state.cpu, on->second, time);
  }
  MakeUnknown(state);
}

void ChromeSched::In(TrackId track, ThreadState& state, uint64_t time,
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
  if (migrations_ && before >= 0 && before != cpu && !IsIdle(track)) {
    trace_.Instant("migration", "sched", tracks_.track(track), time,
                   [before, cpu](JsonWriter& json) {
                     json.Key("from_cpu");
                     json.Int(before);
                     json.Key("to_cpu");
                     json.Int(cpu);
                   });
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

void ChromeSched::Out(TrackId track, ThreadState& state, uint64_t time,
                      const Switch& event, absl::string_view blocked_in) {
  if (RunsOn(track, state, event.cpu)) {
    EndRunning(track, state, time);
  } else if (traced_ && event.state.empty()) {
    return;  // a SWITCH record that repeats the tracepoint
  }
  if (event.cpu >= 0) {
    CpuState& on = cpus_[event.cpu];
    if (on.running == track) {
      EndCpu(event.cpu, on, time);
    } else if (IsGone(track) && on.running != kNoId &&
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
  // Without the scheduler's letters, only whether the thread could run is
  // known.
  const absl::string_view letters = !event.state.empty() ? event.state
                                    : event.preempted    ? "R+"
                                                         : "S";
  state.state = std::string(letters);
  const bool could_run = letters[0] == 'R';
  state.blocked_in = could_run ? "" : blocked_in;
  // An exited thread waits for nothing.
  if (state.state[0] == 'X' || state.state[0] == 'Z' || IsGone(track) ||
      (!could_run && state.exited.has_value())) {
    state.phase = ThreadState::kUnknown;
  }
}

void ChromeSched::OnSwitch(TrackId track, const Switch& event,
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

void ChromeSched::OnWakeup(TrackId woken, const Wakeup& event) {
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
void ChromeSched::OnExit(TrackId track, uint64_t time) {
  ThreadState& state = StateOf(track);
  // A thread that exits is running, even if its switch-in was not recorded.
  if (state.phase == ThreadState::kWaiting) MakeUnknown(state);
  state.exited = time;
}

void ChromeSched::OnFork(TrackId child) {
  ThreadState& state = StateOf(child);
  if (!state.exited.has_value()) return;
  if (state.phase == ThreadState::kRunning && !traced_) {
    EndExited(child, *state.exited);
  }
  state = ThreadState();
}

void ChromeSched::OnLost(int32_t cpu) {
  ++losses_;  // makes waiting threads unknown; see StateOf
  if (cpu < 0) {
    for (auto& [number, state] : cpus_) Forget(number, state);
    cpus_.clear();
  } else if (auto on = cpus_.find(cpu); on != cpus_.end()) {
    Forget(cpu, on->second);
  }
}

void ChromeSched::Finish(uint64_t time) {
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
