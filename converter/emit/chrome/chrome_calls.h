// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_CHROME_CHROME_CALLS_H_
#define PERF2X_EMIT_CHROME_CHROME_CALLS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "converter/emit/chrome/chrome_stacks.h"
#include "converter/emit/chrome/chrome_trace.h"
#include "converter/emit/chrome/chrome_tracks.h"
#include "converter/emit/skip_counter.h"

namespace perf2x {

// Shows the calls of each thread (see Call) as nested slices, on a row of their
// own. Shifts begins and ends by some ns, as ChromeSlices does, where viewers
// would misplace slices: each slice ends before the one around it, and before
// the next one. Charges no budget; see memory(). Not thread-safe.
class ChromeCalls {
 public:
  // References must outlive this.
  ChromeCalls(ChromeStacks& stacks, ChromeTracks& tracks, ChromeTrace& trace)
      : stacks_(stacks), tracks_(tracks), trace_(trace) {}

  // Ends all slices of the thread except the outermost `depth`. Then begins a
  // slice of the first entry of `function`, unless that is empty.
  void Change(TrackId track, size_t depth, absl::Span<const EntryId> function,
              uint64_t time);
  // Ends the slices of all threads at `time`. Drops them if the budget is
  // exhausted (see SkipCounter). To be called once, last.
  void StopAll(uint64_t time, SkipCounter& skip_counter);
  // Returns the approximate memory, in bytes.
  uint64_t memory() const {
    constexpr uint64_t kOfThread = 320;  // with its row
    return open_ * sizeof(Open) + threads_.size() * kOfThread;
  }

 private:
  struct Open {
    EntryId entry;
    uint32_t depth;
    uint64_t begin;
  };
  struct Thread {
    std::vector<Open> open;  // outermost first
    const SliceRow* row = nullptr;
    uint64_t free_from = 0;  // no slice may begin or end earlier
  };
  void Close(Thread& thread, size_t depth, uint64_t time);

  ChromeStacks& stacks_;
  ChromeTracks& tracks_;
  ChromeTrace& trace_;
  absl::flat_hash_map<TrackId, Thread> threads_;
  std::vector<TrackId> order_;  // of threads_
  uint64_t open_ = 0;           // slices of all threads
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_CHROME_CHROME_CALLS_H_
