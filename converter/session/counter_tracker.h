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
#include "converter/session/event_tracker.h"
#include "converter/session/record_context.h"
#include "converter/session/thread_tracker.h"
#include "converter/session/trace_sink.h"

namespace perf2x {

// Computes how much each counter grew between two readings. If the emitter
// requests counters, passes the growth to it as a Counter. Readings come from
// READ records, from samples (PERF_SAMPLE_READ) and from the rounds of `perf
// stat record`. Readings of unknown events are ignored, and counted if they
// come from STAT records. Errors are the emitter's. Not thread-safe.
class CounterTracker {
 public:
  // All must outlive the tracker.
  CounterTracker(const AttrTable& attrs, const EventTracker& events,
                 ThreadTracker& threads, TraceSink& sink,
                 Diagnostics& diagnostics)
      : attrs_(attrs),
        events_(events),
        threads_(threads),
        sink_(sink),
        diagnostics_(diagnostics) {}

  // Reports the readings in a READ record.
  absl::Status Apply(const ReadRecord& read, const RecordContext& context);
  // Reports the readings in a sample of `event`, an index in the AttrTable. The
  // event must have PERF_SAMPLE_READ in its sample_type.
  absl::Status ApplySample(const SampleRecord& sample, EventId event,
                           const RecordContext& context);
  // Applies the records of `perf stat record`: STAT, STAT_ROUND and THREAD_MAP.
  // Ignores all other records. A STAT_ROUND record ends a round: only then are
  // the values of its STAT records reported. Of one round, at most 2^20 values
  // are kept; further ones are skipped and counted.
  absl::Status ApplyStat(const RawRecord& record);
  // Counts the values of a last round without STAT_ROUND record as skipped. To
  // be called once, after all records.
  void EndRounds();

  // Returns how long the counters of each event were enabled and counted, by
  // index in the AttrTable. Kept whether or not the emitter requests counters.
  const CountingTimes& times() const { return times_; }
  // Returns true once a STAT record of a known event was read.
  bool has_stat_values() const { return has_stat_values_; }
  // Returns the approximate memory of all counters, in bytes.
  uint64_t memory() const {
    constexpr uint64_t kBytesPerCounter = 128;
    return (readings_.size() + times_.size()) * kBytesPerCounter +
           stat_values_.capacity() * sizeof(StatRecord);
  }

 private:
  absl::Status ReportReadings(const ReadValues& read, uint64_t own_id,
                              ThreadState& thread, int32_t cpu,
                              const RecordContext& context);
  // `reader_tid`: the thread of the counter; -1: it is not per thread.
  // `counter->event` is an index in the AttrTable.
  absl::Status Report(uint64_t id, int32_t reader_tid,
                      const CounterReading& reading, Counter* counter);
  void AddStat(const StatRecord& stat, const RawRecord& record);
  absl::Status ReportRound(uint64_t time);
  void SetStatThreads(const ThreadMapRecord& map);
  // Returns the thread of a counter, as in Report.
  int32_t ThreadOf(const StatRecord& stat) const {
    return stat.thread < stat_threads_.size() ? stat_threads_[stat.thread] : -1;
  }

  const AttrTable& attrs_;
  const EventTracker& events_;
  ThreadTracker& threads_;
  TraceSink& sink_;
  Diagnostics& diagnostics_;
  CounterReadings readings_;
  CountingTimes times_;
  std::vector<StatRecord> stat_values_;  // of the current round
  std::vector<int32_t> stat_threads_;    // tids, by StatRecord::thread
  bool has_round_ = false;               // STAT_ROUND
  bool has_stat_values_ = false;
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_COUNTER_TRACKER_H_
