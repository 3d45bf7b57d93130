// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PERF_STREAM_RUN_MERGE_H_
#define PERF2X_PERF_STREAM_RUN_MERGE_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "converter/base/prefetch.h"
#include "converter/perf/records/timed_record.h"

namespace perf2x {

// Records that ascend in time: [at, end).
struct Run {
  const TimedRecord* at;
  const TimedRecord* end;
};

// Merges runs: returns their records in time order. Records of equal times come
// in the order of the runs. No record may have the time ~0. Not thread-safe.
//
// Implemented as a loser tree: each node keeps the run that lost there. The
// next record costs one comparison for each level, without branches to
// mispredict.
class RunMerge {
 public:
  // The runs must outlive the merge and not move. Runs may be empty. Next()
  // advances the `at` of the run whose record it returns.
  explicit RunMerge(std::vector<Run*> runs) : runs_(std::move(runs)) {
    const size_t n = runs_.size();
    losers_.resize(n);
    std::vector<Entrant> winners(2 * n);
    for (size_t i = 0; i < n; ++i) winners[n + i] = FrontOf(i);
    for (size_t i = n; i-- > 1;) {
      winners[i] = winners[2 * i];
      losers_[i] = winners[2 * i + 1];
      Play(&winners[i], &losers_[i]);
    }
    if (n > 0) winner_ = winners[1];
  }

  // Returns the next record if its time is at most `limit`. Else, and at the
  // end, returns null.
  const TimedRecord* Next(uint64_t limit) {
    if (winner_.time > limit || winner_.time == kNone) return nullptr;
    const size_t run = winner_.run;
    const TimedRecord* next = runs_[run]->at++;
    PrefetchAll(next + kAhead, sizeof(TimedRecord));
    Entrant entrant = FrontOf(run);
    for (size_t i = (runs_.size() + run) / 2; i > 0; i /= 2) {
      Play(&entrant, &losers_[i]);
    }
    winner_ = entrant;
    return next;
  }

 private:
  static constexpr size_t kAhead = 4;
  static constexpr uint64_t kNone = ~uint64_t{0};  // no record has this time
  struct Entrant {
    uint64_t time = kNone;
    uint64_t run = 0;
  };
  Entrant FrontOf(size_t run) const {
    const Run& r = *runs_[run];
    return {r.at == r.end ? kNone : r.at->time, run};
  }
  // Makes `*a` the earlier one.
  static void Play(Entrant* a, Entrant* b) {
    const Entrant x = *a, y = *b;
    const bool swap =
        (y.time < x.time) | ((y.time == x.time) & (y.run < x.run));
    a->time = swap ? y.time : x.time;
    a->run = swap ? y.run : x.run;
    b->time = swap ? x.time : y.time;
    b->run = swap ? x.run : y.run;
  }

  std::vector<Run*> runs_;
  std::vector<Entrant> losers_;  // by node; the first is not used
  Entrant winner_;
};

}  // namespace perf2x

#endif  // PERF2X_PERF_STREAM_RUN_MERGE_H_
