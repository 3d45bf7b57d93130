// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_CHROME_CHROME_SLICES_H_
#define PERF2X_EMIT_CHROME_CHROME_SLICES_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "converter/emit/chrome/chrome_stacks.h"
#include "converter/emit/chrome/chrome_trace.h"
#include "converter/emit/chrome/chrome_tracks.h"

namespace perf2x {

// Turns the samples of each thread into nested slices. Consecutive samples with
// the same frame and the same callers share a slice. A slice ends at the first
// sample that differs. After a gap of more than two sampling intervals, slices
// end one interval after the last sample, as the thread may have slept. A time
// before the thread's latest time counts as the latest time. Shifts begins and
// ends by some ns: viewers misplace slices that begin or end at the same time.
// Charges no budget; see memory(). Not thread-safe.
class ChromeSlices {
 public:
  // References must outlive this.
  ChromeSlices(ChromeStacks& stacks, const ChromeTracks& tracks,
               ChromeTrace& trace)
      : stacks_(stacks),
        tracks_(tracks),
        trace_(trace),
        off_cpu_(trace.FunctionText("off-CPU", "")) {}

  // Ends the slices of frames that `stack` lacks, and begins slices of new
  // frames. `stack` is outermost first. `interval` is the time that the sample
  // stands for, in ns. `category` must outlive this; categories are compared by
  // address.
  void Sample(TrackId track, absl::Span<const EntryId> stack, uint64_t time,
              uint64_t interval, absl::string_view category);
  // The thread left its CPU, or exited: ends its open slices.
  void Stop(TrackId track, uint64_t time);
  // The thread was off its CPU from `begin` to `end`: ends its open slices.
  // Writes a slice for each frame of `stack`, and "off-CPU" as the innermost
  // slice.
  void OffCpu(TrackId track, absl::Span<const EntryId> stack, uint64_t begin,
              uint64_t end, absl::string_view category);
  // Ends the open slices of all threads at `time`. Drops them if the budget is
  // exhausted (see SkipCounter). To be called once, last.
  void StopAll(uint64_t time, SkipCounter& skip_counter);
  // Returns the approximate memory of the open slices and of the rows, in
  // bytes.
  uint64_t memory() const { return open_ * sizeof(Open) + row_memory_; }

 private:
  // Bytes of memory of a row in rows_ and in the trace, without its category.
  static constexpr uint64_t kRowOverhead = 160;

  struct Open {
    EntryId entry;
    uint64_t begin;
  };
  struct State {
    std::vector<Open> open;  // outermost first
    absl::string_view category;
    const SliceRow* row = nullptr;  // of `category`
    // Time of the last sample, or when its innermost slice begins, if later.
    uint64_t last = 0;
    uint64_t interval = 0;   // of the last sample
    uint64_t free_from = 0;  // no slice may begin earlier
  };
  State& StateOf(TrackId track) {
    if (track >= states_.size()) states_.resize(track + 1);
    return states_[track];
  }
  // Sets the row (track and category) of all slices that end from now on, also
  // of those open now: a slice is written when it ends.
  void SwitchRow(TrackId track, State& state, absl::string_view category);
  // Ends all slices but the outermost `keep`.
  void Close(State& state, size_t keep, uint64_t time);
  // Ends all slices at `time`, or sooner if the last sample is long ago.
  void CloseAll(State& state, uint64_t time);

  ChromeStacks& stacks_;
  const ChromeTracks& tracks_;
  ChromeTrace& trace_;
  const SliceText* const off_cpu_;
  std::vector<State> states_;  // by TrackId
  // By track and the address of the category.
  absl::flat_hash_map<std::pair<TrackId, const char*>, const SliceRow*> rows_;
  uint64_t open_ = 0;        // open slices of all tracks
  uint64_t row_memory_ = 0;  // of rows_, in bytes
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_CHROME_CHROME_SLICES_H_
