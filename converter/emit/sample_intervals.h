// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_SAMPLE_INTERVALS_H_
#define PERF2X_EMIT_SAMPLE_INTERVALS_H_

#include <cstdint>
#include <vector>

#include "converter/emit/track_id.h"
#include "converter/model/emitter.h"

namespace perf2x {

// Estimates the time that each sample of one event stands for. For clock
// events, this is the sample's period. For events with a sampling frequency, it
// is 1/frequency. For other events, it is an average of the distances between
// samples of a thread, and 1 ms at first. Not thread-safe.
class SampleIntervals {
 public:
  // Keeps no reference to `event`.
  explicit SampleIntervals(const Event& event);

  // Returns the interval of `sample`, in ns: from 1 µs to 1 s. `track` is the
  // row of the sample's thread. To be called once for each sample of the event,
  // in order of time.
  uint64_t IntervalOf(const Sample& sample, TrackId track);

 private:
  bool is_time_ = false;        // periods are ns
  uint64_t fixed_ = 0;          // ns, from the frequency; 0: not known
  uint64_t guess_;              // ns; estimate from the distances so far
  std::vector<uint64_t> last_;  // time of the last sample, by TrackId
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_SAMPLE_INTERVALS_H_
