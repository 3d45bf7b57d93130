#include "converter/emit/chrome_sched.h"

#include <algorithm>

namespace perf2x {

void ChromeSched::EndRunning(TrackId track, const ThreadState& state,
                             uint64_t time) {
  if (IsIdle(track)) return;
  trace_.ThreadState("Running", tracks_.track(track), state.since, time,
                     state.cpu);
}

void ChromeSched::EndWaiting(TrackId track, const ThreadState& state,
                             uint64_t time) {
  if (IsIdle(track)) return;
  trace_.ThreadState(state.state, tracks_.track(track), state.since, time,
                     /*cpu=*/-1);
}

void ChromeSched::EndCpu(int32_t cpu, CpuState& state, uint64_t time) {
  if (state.running == kNoId) return;
  const ChromeTrack thread = tracks_.track(state.running);
  // A nanosecond short, for what ChromeSlices says of viewers.
  trace_.Slice(tracks_.name(state.running), "sched", tracks_.Cpu(cpu),
               state.since,
               std::max(state.since, time - std::min<uint64_t>(time, 1)),
               [&](JsonWriter& json) {
                 json.Key("pid");
                 json.Int(thread.pid);
                 json.Key("tid");
                 json.Int(thread.tid);
               });
  state.running = kNoId;
}

void ChromeSched::In(TrackId track, ThreadState& state, uint64_t time,
                     int32_t cpu) {
  // Said twice, by the tracepoint and by a SWITCH record.
  if (state.what == ThreadState::kRunning && cpus_[cpu].running == track) {
    return;
  }
  if (state.what == ThreadState::kWaiting) EndWaiting(track, state, time);
  if (migrations_ && state.cpu >= 0 && state.cpu != cpu && !IsIdle(track)) {
    trace_.Instant("migration", "sched", tracks_.track(track), time,
                   [&](JsonWriter& json) {
                     json.Key("from_cpu");
                     json.Int(state.cpu);
                     json.Key("to_cpu");
                     json.Int(cpu);
                   });
  }
  state.what = ThreadState::kRunning;
  state.since = time;
  state.cpu = cpu;
  CpuState& on = cpus_[cpu];
  EndCpu(cpu, on, time);
  if (IsIdle(track)) return;
  on.running = track;
  on.since = time;
  if (state.woken_at.has_value()) {
    // Tracks are named in the order of these calls.
    const ChromeTrack to = tracks_.Cpu(cpu);
    const ChromeTrack from = tracks_.Cpu(state.woken_on);
    trace_.Flow("wakeup", "sched", from, *state.woken_at, to, time);
    state.woken_at.reset();
  }
}

void ChromeSched::Out(TrackId track, ThreadState& state, uint64_t time,
                      const Switch& event) {
  if (state.what == ThreadState::kRunning) {
    EndRunning(track, state, time);
  } else if (traced_ && event.state.empty()) {
    return;  // a SWITCH record behind the tracepoint
  }
  CpuState& on = cpus_[event.cpu];
  if (on.running == track) EndCpu(event.cpu, on, time);
  state.what = ThreadState::kWaiting;
  state.since = time;
  state.cpu = event.cpu;
  state.woken_at.reset();
  // Without the scheduler's letter all that is known is whether it could run.
  const absl::string_view letters = !event.state.empty() ? event.state
                                    : event.preempted    ? "R+"
                                                         : "S";
  state.state = std::string(letters);
  // The dead stay dead.
  if (state.state[0] == 'X' || state.state[0] == 'Z') {
    state.what = ThreadState::kUnknown;
  }
}

void ChromeSched::OnSwitch(TrackId track, const Switch& event) {
  const uint64_t time = *event.time;
  ThreadState& state = Of(track);
  traced_ |= !event.state.empty();
  if (event.out) {
    Out(track, state, time, event);
  } else {
    In(track, state, time, event.cpu);
  }
}

void ChromeSched::OnWakeup(TrackId woken, const Wakeup& event) {
  ThreadState& state = Of(woken);
  // It is awake already: woken twice, or before it had gone to sleep.
  if (state.what == ThreadState::kRunning ||
      (state.what == ThreadState::kWaiting && state.state[0] == 'R')) {
    return;
  }
  const uint64_t time = *event.time;
  if (state.what == ThreadState::kWaiting) EndWaiting(woken, state, time);
  state.what = ThreadState::kWaiting;
  state.state.assign(1, 'R');
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

void ChromeSched::OnExit(TrackId track, uint64_t time) {
  ThreadState& state = Of(track);
  if (state.what != ThreadState::kRunning || traced_) return;
  EndRunning(track, state, time);
  state.what = ThreadState::kUnknown;
  CpuState& on = cpus_[state.cpu];
  if (on.running == track) EndCpu(state.cpu, on, time);
}

void ChromeSched::OnLost(int32_t cpu) {
  for (auto& [number, state] : cpus_) {
    if (cpu >= 0 && number != cpu) continue;
    if (state.running != kNoId) threads_[state.running] = ThreadState();
    state.running = kNoId;
  }
  // A thread may have run meanwhile and be back in the same state.
  for (ThreadState& state : threads_) {
    if (state.what == ThreadState::kWaiting) state = ThreadState();
  }
}

void ChromeSched::Finish(uint64_t time) {
  for (TrackId track = 0; track < threads_.size(); ++track) {
    const ThreadState& state = threads_[track];
    if (state.what == ThreadState::kWaiting) EndWaiting(track, state, time);
    // As `perf sched` does, a stretch without its sched_switch is left out.
    if (state.what == ThreadState::kRunning && !traced_) {
      EndRunning(track, state, time);
    }
  }
  for (auto& [cpu, state] : cpus_) EndCpu(cpu, state, time);
}

}  // namespace perf2x
