// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_SLEEP_TRACKER_H_
#define PERF2X_SESSION_SLEEP_TRACKER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "converter/base/block.h"
#include "converter/base/diagnostics.h"
#include "converter/perf/header/attr_table.h"
#include "converter/perf/records/raw_record.h"
#include "converter/session/record_tee.h"
#include "converter/session/sample_processor.h"

namespace perf2x {

// Finds how long threads slept in recordings of `simpleperf record
// --trace-offcpu`. A sample of sched_switch shows where a thread went off its
// CPU. It is held until a SWITCH record or a sample shows that the thread runs
// again. Then it is emitted as a sample of off-CPU time. Its period is the time
// between both, as in simpleperf's reports. A thread that exits is not asleep,
// nor is a new thread with its tid. Not thread-safe.
class SleepTracker {
 public:
  // All must outlive the tracker.
  SleepTracker(const AttrTable& attrs, RecordTee& tee, SampleProcessor& samples,
               Diagnostics& diagnostics)
      : attrs_(attrs),
        tee_(tee),
        samples_(samples),
        diagnostics_(diagnostics) {}

  // Returns true for such a recording. Then Apply must be called for each
  // record, before the record is applied.
  bool active() const { return attrs_.traces_off_cpu(); }
  // If `record` shows that a thread runs, emits that thread's held sample. If
  // `record` is a sample to be held, holds a copy, with `deferred` (see
  // SampleProcessor::Apply), and sets `*held` to true. The caller must not
  // apply such a record. If RecordTee::waits_for_selection(), the caller must
  // not pass it to the tee either: Apply does so when it emits the sample.
  // Drops and counts the sleeps of threads that exit. Ignores records without a
  // time. Errors are the emitter's.
  absl::Status Apply(const RawRecord& record, std::optional<uint64_t> time,
                     absl::Span<const uint64_t> deferred, bool* held);
  // Counts sleeps that have no end. To be called once, after the last record.
  void EndRecords();

  // Returns the approximate memory, in bytes.
  uint64_t memory() const { return memory_; }

 private:
  struct Sleep {
    RawRecord record;  // `block` is not set
    BlockRef block;
    std::vector<uint64_t> deferred;
    uint64_t since = 0;
  };
  static uint64_t MemoryOf(const Sleep& sleep) {
    constexpr uint64_t kOverhead = 96;
    return sizeof(Sleep) + sleep.record.body.size() +
           sleep.deferred.size() * sizeof(uint64_t) + kOverhead;
  }
  absl::Status Wake(int32_t tid, uint64_t time);
  void Hold(int32_t tid, const RawRecord& record, uint64_t time,
            absl::Span<const uint64_t> deferred);
  template <class R>
  void DropSleepOf(const RawRecord& record);
  std::unique_ptr<Sleep> Take(int32_t tid);

  const AttrTable& attrs_;
  RecordTee& tee_;
  SampleProcessor& samples_;
  Diagnostics& diagnostics_;
  absl::flat_hash_map<int32_t, std::unique_ptr<Sleep>> sleeps_;  // by tid
  uint64_t memory_ = 0;
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_SLEEP_TRACKER_H_
