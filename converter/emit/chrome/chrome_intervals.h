// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_CHROME_CHROME_INTERVALS_H_
#define PERF2X_EMIT_CHROME_CHROME_INTERVALS_H_

#include <cstdint>
#include <vector>

#include "converter/emit/chrome/chrome_tracks.h"
#include "converter/model/emitter.h"

namespace perf2x {

// Estimates the time that a sample of one event stands for. For clocks it is
// the sample's period, for events with a sampling frequency 1/frequency, for
// others the usual distance between samples of a thread. Not thread-safe.
class ChromeIntervals {
 public:
  explicit ChromeIntervals(const Event& event);

  // Returns the interval of `sample`, in ns; at least 1 µs. `track` is its
  // thread's.
  uint64_t IntervalOf(const Sample& sample, TrackId track);

 private:
  bool is_time_ = false;        // periods are ns
  uint64_t fixed_ = 0;          // from the frequency; 0: not known
  uint64_t guess_;              // follows distances in small steps
  std::vector<uint64_t> last_;  // time of the last sample, by TrackId
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_CHROME_CHROME_INTERVALS_H_
