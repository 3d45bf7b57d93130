// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/chrome/chrome_sched.h"

#include <algorithm>
#include <utility>

namespace perf2x {

void ChromeSched::EndRunning(TrackId track, const ThreadState& state,
                             uint64_t time) {
  if (IsIdle(track)) return;
  trace_.ThreadState("Running", tracks_.track(track), state.since, time,
                     state.cpu, /*blocked_in=*/"");
}

void ChromeSched::EndWaiting(TrackId track, const ThreadState& state,
                             uint64_t time) {
  if (IsIdle(track)) return;
  trace_.ThreadState(state.state, tracks_.track(track), state.since, time,
                     /*cpu=*/-1, state.blocked_in);
}

void ChromeSched::EndCpu(int32_t cpu, CpuState& state, uint64_t time) {
  if (state.running == kNoId) return;
  // A nanosecond short, for what ChromeSlices says of viewers.
  trace_.Slice(tracks_.NameAndTid(state.running), "sched", tracks_.Cpu(cpu),
               state.since,
               std::max(state.since, time - std::min<uint64_t>(time, 1)));
  ShowArrows(cpu, state);
  Clear(state);
}

// Both ends of an arrow must lie in slices that are shown, and which those are
// is known when they end: the last to end shows it.
void ChromeSched::ShowArrows(int32_t cpu, CpuState& state) {
  const ChromeTrack row = tracks_.Cpu(cpu);
  for (const Arrow& arrow : state.arrows) {
    trace_.Flow("wakeup", "sched", row, arrow.woken_at, arrow.to, arrow.ran_at);
  }
  if (!state.woken_at.has_value()) return;
  CpuState& waker = cpus_[state.woken_on];
  if (waker.running != kNoId && waker.since < *state.woken_at) {
    waker.arrows.push_back({*state.woken_at, row, state.since});
  } else {
    trace_.Flow("wakeup", "sched", tracks_.Cpu(state.woken_on), *state.woken_at,
                row, state.since);
  }
}

void ChromeSched::Clear(CpuState& state) {
  state.running = kNoId;
  state.woken_at.reset();
  state.arrows.clear();
}

bool ChromeSched::RunsOn(TrackId track, const ThreadState& state,
                         int32_t cpu) const {
  if (state.phase != ThreadState::kRunning || state.cpu != cpu) return false;
  if (cpu < 0 || IsIdle(track)) return true;  // nothing is kept of these
  auto on = cpus_.find(cpu);
  return on != cpus_.end() && on->second.running == track;
}

void ChromeSched::MakeUnknown(ThreadState& state) {
  const std::optional<uint64_t> exited = state.exited;
  state = ThreadState();
  state.exited = exited;
}

// Who was there was switched out unseen, at a time that is not known. Of a
// thread that has exited it is known well enough.
void ChromeSched::Forget(CpuState& on) {
  if (on.running != kNoId) {
    ThreadState& state = threads_[on.running];
    if (state.exited.has_value() && !traced_) {
      EndExited(on.running, *state.exited);
    } else {
      MakeUnknown(state);
    }
  }
  Clear(on);
}

// The last a thread ran.
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
  // Said twice, by the tracepoint and by a SWITCH record.
  if (RunsOn(track, state, cpu)) return;
  const int32_t before = state.cpu;
  if (state.phase == ThreadState::kUnknown) state.exited.reset();
  if (state.phase == ThreadState::kWaiting) EndWaiting(track, state, time);
  if (state.phase == ThreadState::kRunning && before >= 0) {
    CpuState& left = cpus_[before];
    if (left.running == track) Clear(left);
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
  const std::optional<uint64_t> woken_at = std::exchange(state.woken_at, {});
  const int32_t woken_on = state.woken_on;
  if (cpu < 0) return;
  CpuState& on = cpus_[cpu];
  Forget(on);
  if (IsIdle(track)) return;
  on.running = track;
  on.since = time;
  on.woken_at = woken_at;
  on.woken_on = woken_on;
}

void ChromeSched::Out(TrackId track, ThreadState& state, uint64_t time,
                      const Switch& event, absl::string_view blocked_in) {
  if (RunsOn(track, state, event.cpu)) {
    EndRunning(track, state, time);
  } else if (traced_ && event.state.empty()) {
    return;  // a SWITCH record behind the tracepoint
  }
  if (event.cpu >= 0) {
    CpuState& on = cpus_[event.cpu];
    if (on.running == track) {
      EndCpu(event.cpu, on, time);
    } else if (IsGone(track) && on.running != kNoId &&
               threads_[on.running].exited.has_value()) {
      EndExited(on.running, time);
    } else {
      Forget(on);
    }
  }
  state.phase = ThreadState::kWaiting;
  state.since = time;
  state.cpu = event.cpu;
  state.woken_at.reset();
  // Without the scheduler's letter all that is known is whether it could run.
  const absl::string_view letters = !event.state.empty() ? event.state
                                    : event.preempted    ? "R+"
                                                         : "S";
  state.state = std::string(letters);
  const bool could_run = letters[0] == 'R';
  state.blocked_in = could_run ? "" : blocked_in;
  // The dead stay dead.
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
  // It is awake already: woken twice, or before it had gone to sleep.
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
  // An arrow starts in a slice. An idle CPU, whose interrupts wake too, has
  // none.
  auto from = cpus_.find(event.cpu);
  if (from != cpus_.end() && from->second.running != kNoId &&
      from->second.since < time) {
    state.woken_at = time;
    state.woken_on = event.cpu;
  }
}

// The kernel switches the thread out only some time later, and may even switch
// it in once more before. Where that is not recorded, it ran until it exited.
void ChromeSched::OnExit(TrackId track, uint64_t time) {
  ThreadState& state = StateOf(track);
  // It runs, whatever was seen of it.
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
  ++losses_;  // of all threads that wait; see Of
  if (cpu < 0) {
    for (auto& [number, state] : cpus_) Forget(state);
    cpus_.clear();
  } else if (auto on = cpus_.find(cpu); on != cpus_.end()) {
    Forget(on->second);
  }
}

void ChromeSched::Finish(uint64_t time) {
  for (TrackId track = 0; track < threads_.size(); ++track) {
    const ThreadState& state = StateOf(track);
    // A thread that runs is left out: as perf sees it, too, a stretch ends with
    // the switch.
    if (state.exited.has_value()) {
      if (state.phase != ThreadState::kRunning || traced_) continue;
      EndExited(track, *state.exited);
    } else if (state.phase == ThreadState::kWaiting) {
      EndWaiting(track, state, time);
    }
  }
}

}  // namespace perf2x
