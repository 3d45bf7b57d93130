// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/chrome/chrome_slices.h"

#include <algorithm>
#include <vector>

namespace perf2x {
namespace {

// Open slices that a thread has memory for while it has none.
constexpr size_t kMaxSpare = 4096;

// Returns `time` minus `ns`, but no time before `begin`.
uint64_t Before(uint64_t time, uint64_t ns, uint64_t begin) {
  return time - std::min(ns, time - std::min(begin, time));
}

}  // namespace

// Viewers add `ts` and `dur` as doubles, and where two slices end together, or
// one begins as another ends, rounding can reverse their order; speedscope then
// never ends the outer slice. So each slice ends a nanosecond before the
// enclosing slice and before the next one. It also begins a nanosecond after
// the enclosing slice: of slices that begin together, chrome://tracing takes
// the first in the file for the outer one, but inner slices are written first
// here.
void ChromeSlices::Close(State& state, size_t keep, uint64_t time) {
  if (state.open.size() == keep) return;
  // The slices must end after those within them, which may have ended just now,
  // and after their own begins.
  time = std::max(time, std::max(state.free_from, state.open.back().begin) +
                            (state.open.size() - keep));
  state.free_from = time;
  open_ -= state.open.size() - keep;
  for (; state.open.size() > keep; state.open.pop_back()) {
    const Open& slice = state.open.back();
    if (!stacks_.TryChargeName(slice.entry)) continue;
    const uint64_t end = Before(time, state.open.size() - keep, slice.begin);
    trace_.Slice(stacks_.Text(slice.entry), state.row, slice.begin, end);
    if (stacks_.IsLong(slice.entry)) trace_.WriteSlices();
  }
  // Slices that are not open are not counted as memory.
  if (keep == 0 && state.open.capacity() > kMaxSpare) {
    state.open = std::vector<Open>();
  }
}

void ChromeSlices::CloseAll(State& state, uint64_t time) {
  if (state.open.empty()) return;
  const uint64_t quiet = time - std::min(time, state.last);
  const bool gap = quiet / 2 > state.interval;
  const uint64_t end =
      gap ? state.last + state.interval : std::max(time, state.last);
  Close(state, 0, end);
}

void ChromeSlices::SwitchRow(TrackId track, State& state,
                             absl::string_view category) {
  if (state.category.data() == category.data()) return;
  state.category = category;
  auto [it, inserted] = rows_.try_emplace({track, category.data()});
  if (inserted) {
    it->second = trace_.Row(category, tracks_.track(track));
    row_memory_ += kRowOverhead + category.size();
  }
  state.row = it->second;
}

void ChromeSlices::Sample(TrackId track, absl::Span<const EntryId> stack,
                          uint64_t time, uint64_t interval,
                          absl::string_view category) {
  State& state = StateOf(track);
  time = std::max({time, state.last, state.free_from});
  if (!state.open.empty() &&
      (time - state.last) / 2 > std::max(state.interval, interval)) {
    CloseAll(state, time);
  }
  size_t same = 0;
  while (same < std::min(stack.size(), state.open.size()) &&
         stack[same] == state.open[same].entry) {
    ++same;
  }
  Close(state, same, time);
  SwitchRow(track, state, category);
  time = std::max(time, state.free_from);
  if (same > 0 && same < stack.size()) {
    time = std::max(time, state.open.back().begin + 1);
  }
  open_ += stack.size() - same;
  for (size_t i = same; i < stack.size(); ++i) {
    state.open.push_back({stack[i], time + (i - same)});
  }
  state.last =
      state.open.empty() ? time : std::max(time, state.open.back().begin);
  state.interval = interval;
}

void ChromeSlices::Stop(TrackId track, uint64_t time) {
  CloseAll(StateOf(track), time);
}

void ChromeSlices::OffCpu(TrackId track, absl::Span<const EntryId> stack,
                          uint64_t begin, uint64_t end,
                          absl::string_view category) {
  State& state = StateOf(track);
  CloseAll(state, begin);
  begin = std::max(begin, state.free_from);
  end = std::max(begin, end);
  SwitchRow(track, state, category);
  for (const EntryId entry : stack) state.open.push_back({entry, begin++});
  open_ += stack.size();
  end = std::max(end, begin + state.open.size() + 1);
  trace_.Slice(off_cpu_, state.row, begin,
               Before(end, state.open.size() + 1, begin));
  Close(state, 0, end);
  state.free_from = std::max(state.free_from, end);
}

void ChromeSlices::StopAll(uint64_t time, SkipCounter& skip_counter) {
  for (State& state : states_) {
    if (state.open.empty() ||
        skip_counter.CountIfExhausted(state.open.size())) {
      continue;
    }
    CloseAll(state, time);
  }
}

}  // namespace perf2x
