// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/firefox/firefox_sched.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"

namespace perf2x {

FirefoxSched::ThreadState& FirefoxSched::StateOf(TrackId track) {
  if (track >= threads_.size()) threads_.resize(track + 1);
  ThreadState& state = threads_[track];
  if (std::exchange(state.losses, losses_) != losses_) {
    state.running_since.reset();
    if (state.out.has_value()) Show(track, *state.out, std::nullopt);
    state.out.reset();
  }
  return state;
}

void FirefoxSched::Show(TrackId track, const Out& out,
                        std::optional<uint64_t> end) {
  std::vector<Field> fields;
  if (out.state != 0) fields.push_back({"state", tables_.strings[out.state]});
  if (out.cpu >= 0) fields.push_back({"cpu", int64_t{out.cpu}});
  std::string next;
  if (out.next != kNoId) {
    next = absl::StrCat(tables_.strings[tracks_[out.next].name], " ",
                        tracks_[out.next].TidText());
    fields.push_back({"next", absl::string_view(next)});
  }
  markers_.Add(track, {markers_.TypeOf("off CPU"), out.time, end, out.stack},
               fields);
}

void FirefoxSched::OnSwitch(TrackId track, const Switch& event, TrackId other) {
  if (event.after_gap) OnLost();
  if (tracks_[track].tid == 0) return;  // an idle CPU
  has_switches_ = true;
  ThreadState& state = StateOf(track);
  const uint64_t time = *event.time;
  if (!event.out) {
    if (state.out.has_value()) Show(track, *state.out, time);
    state.out.reset();
    if (!state.running_since.has_value()) state.running_since = time;
    return;
  }
  // With the tracepoint sched:sched_switch, SWITCH records repeat its events.
  if (state.out.has_value() && traced_ && event.state.empty()) return;
  traced_ |= !event.state.empty();
  if (state.out.has_value() && state.out->time < time) {
    Show(track, *state.out, std::nullopt);  // no switch-in was recorded
  }
  if (state.running_since.has_value()) {
    state.run_time += time - std::min(time, *state.running_since);
    state.running_since.reset();
  }
  Out& out = state.out.emplace(Out{});
  out.time = time;
  out.cpu = event.cpu;
  // Without the scheduler's letters, only whether the thread could run is
  // known.
  out.state = tables_.strings.Intern(!event.state.empty() ? event.state
                                     : event.preempted    ? "R+"
                                                          : "S");
  out.next = other;
  out.stack = event.stack;
}

std::optional<uint64_t> FirefoxSched::RunTime(TrackId track,
                                              std::optional<uint64_t> time) {
  if (!has_switches_ || !time.has_value()) return std::nullopt;
  ThreadState& state = StateOf(track);
  // A thread without a recorded switch-in runs when a sample is taken.
  if (!state.running_since.has_value()) {
    if (state.out.has_value()) return state.run_time;
    state.running_since = time;
  }
  return state.run_time + (*time - std::min(*time, *state.running_since));
}

void FirefoxSched::Finish(uint64_t time) {
  for (TrackId track = 0; track < threads_.size(); ++track) {
    const ThreadState& state = StateOf(track);
    if (!state.out.has_value()) continue;
    // An exited thread waits for nothing.
    const bool exited = tracks_[track].end.has_value();
    Show(track, *state.out, exited ? std::nullopt : std::optional(time));
  }
}

}  // namespace perf2x
