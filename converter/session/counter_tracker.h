// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_COUNTER_TRACKER_H_
#define PERF2X_SESSION_COUNTER_TRACKER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "converter/base/diagnostics.h"
#include "converter/model/emitter.h"
#include "converter/perf/header/attr_table.h"
#include "converter/perf/records/kernel_records.h"
#include "converter/perf/records/sample.h"
#include "converter/perf/records/stat_records.h"
#include "converter/perf/records/user_records.h"
#include "converter/session/counter_readings.h"
#include "converter/session/counting_times.h"
#include "converter/session/record_context.h"
#include "converter/session/thread_tracker.h"
#include "converter/session/trace_sink.h"

namespace perf2x {

// Reports what counters counted: from READ records, from samples with readings,
// and from the rounds of `perf stat record`. Errors are the emitter's. Not
// thread-safe.
class CounterTracker {
 public:
  // All must outlive the tracker.
  CounterTracker(const AttrTable& attrs, ThreadTracker& threads,
                 TraceSink& sink, Diagnostics& diagnostics)
      : attrs_(attrs),
        threads_(threads),
        sink_(sink),
        diagnostics_(diagnostics) {}

  absl::Status Apply(const ReadRecord& read, const RecordContext& context);
  // Reports the readings in a sample of `event`.
  absl::Status ApplySample(const SampleRecord& sample, EventId event,
                           const RecordContext& context);
  // Applies the records that `perf stat record` writes: values of counters,
  // rounds, and the list of threads into which the values have an index.
  // Ignores all others.
  absl::Status ApplyStat(const RawRecord& record);

  // Returns how long the counters of each event were enabled and counted.
  const CountingTimes& times() const { return times_; }
  // If set, `perf stat record` wrote the recording.
  bool has_stat_values() const { return has_stat_values_; }
  // Returns the approximate memory of all counters, in bytes.
  uint64_t memory() const {
    constexpr uint64_t kBytesPerCounter = 128;
    return readings_.size() * kBytesPerCounter;
  }

 private:
  absl::Status ReportReadings(const ReadValues& read, uint64_t own_id,
                              ThreadState& thread, int32_t cpu,
                              const RecordContext& context);
  // `reader_tid`: the thread of the counter; -1: it is not per thread.
  absl::Status Report(uint64_t id, int32_t reader_tid,
                      const CounterReading& reading, Counter* counter);
  void AddStat(const StatRecord& stat, const RawRecord& record);
  absl::Status ReportRound(uint64_t time);
  void SetStatThreads(const ThreadMapRecord& map);

  const AttrTable& attrs_;
  ThreadTracker& threads_;
  TraceSink& sink_;
  Diagnostics& diagnostics_;
  CounterReadings readings_;
  CountingTimes times_;
  std::vector<StatRecord> stat_values_;  // of the current round
  std::vector<int32_t> stat_threads_;    // tids, by StatRecord::thread
  bool has_stat_values_ = false;
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_COUNTER_TRACKER_H_
