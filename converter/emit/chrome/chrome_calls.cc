// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/chrome/chrome_calls.h"

#include <algorithm>

#include "converter/base/saturating_add.h"

namespace perf2x {

// Slices that end together end a ns after those within them, see
// ChromeSlices::Close. If too few ns have passed for that, the outer ones end
// later.
void ChromeCalls::Close(Thread& thread, size_t depth, uint64_t time) {
  size_t keep = thread.open.size();
  while (keep > 0 && thread.open[keep - 1].depth >= depth) --keep;
  if (keep == thread.open.size()) return;
  const uint64_t around = thread.open.size() - keep - 1;
  const uint64_t innermost =
      std::max(thread.free_from, thread.open.back().begin);
  time = std::max(time, SaturatingAdd(innermost, around));
  thread.free_from = SaturatingAdd(time, 1);
  open_ -= thread.open.size() - keep;
  while (thread.open.size() > keep) {
    const Open slice = thread.open.back();
    thread.open.pop_back();
    if (!stacks_.TryChargeName(slice.entry)) continue;
    const uint64_t end = time - (thread.open.size() - keep);
    trace_.Slice(stacks_.Text(slice.entry), thread.row, slice.begin,
                 std::max(slice.begin, end));
    if (stacks_.IsLong(slice.entry)) trace_.WriteSlices();
  }
}

void ChromeCalls::Change(TrackId track, size_t depth,
                         absl::Span<const EntryId> function, uint64_t time) {
  const bool begins = !function.empty();
  auto it = threads_.find(track);
  if (it == threads_.end()) {
    if (!begins) return;
    it = threads_.try_emplace(track).first;
    it->second.row = trace_.Row("call", tracks_.Calls(track));
    order_.push_back(track);
  }
  Thread& thread = it->second;
  // A slice begins a ns after the one before it has ended.
  Close(thread, depth, begins ? time - std::min<uint64_t>(time, 1) : time);
  if (!begins) return;
  time = std::max(time, thread.free_from);
  if (!thread.open.empty()) {
    time = std::max(time, SaturatingAdd(thread.open.back().begin, 1));
  }
  thread.open.push_back({function.front(), static_cast<uint32_t>(depth), time});
  ++open_;
}

void ChromeCalls::StopAll(uint64_t time, SkipCounter& skip_counter) {
  for (const TrackId track : order_) {
    Thread& thread = threads_[track];
    if (thread.open.empty() ||
        skip_counter.CountIfExhausted(thread.open.size()))
      continue;
    Close(thread, 0, time);
  }
}

}  // namespace perf2x
