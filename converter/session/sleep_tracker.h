// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_SLEEP_TRACKER_H_
#define PERF2X_SESSION_SLEEP_TRACKER_H_

#include <cstdint>
#include <memory>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "converter/base/block.h"
#include "converter/base/diagnostics.h"
#include "converter/perf/header/attr_table.h"
#include "converter/perf/records/raw_record.h"
#include "converter/session/sample_processor.h"

namespace perf2x {

// Finds how long threads slept in recordings of `simpleperf record
// --trace-offcpu`. A sample of sched_switch says where a thread went off its
// CPU. It is held until the next record that says that the thread runs: a
// SWITCH record, or a sample. Then it is a sample of off-CPU time, whose period
// is the time since then, as in simpleperf's reports. Not thread-safe.
class SleepTracker {
 public:
  // All must outlive the tracker.
  SleepTracker(const AttrTable& attrs, SampleProcessor& samples,
               Diagnostics& diagnostics)
      : attrs_(attrs), samples_(samples), diagnostics_(diagnostics) {}

  // Returns true if the recording is such a one: then Apply must be called for
  // each record, before it is applied.
  bool active() const { return attrs_.traces_sleeps(); }
  // Emits the sample of the thread that `record` shows to run, if one is held.
  // If `record` is a sample of off-CPU time, holds a copy and sets `*held` to
  // true: the caller must not apply it. Ignores records without a time. Errors
  // are the emitter's.
  absl::Status Apply(const RawRecord& record, std::optional<uint64_t> time,
                     bool* held);
  // Counts sleeps that have no end. To be called once, after the last record.
  void EndRecords();

  // Returns the approximate memory, in bytes.
  uint64_t memory() const { return memory_; }

 private:
  struct Sleep {
    RawRecord record;  // `block` is not set
    BlockRef block;
    uint64_t since = 0;
  };
  static uint64_t MemoryOf(const Sleep& sleep) {
    constexpr uint64_t kOverhead = 96;
    return sizeof(Sleep) + sleep.record.body.size() + kOverhead;
  }
  absl::Status Wake(int32_t tid, uint64_t time);
  void Hold(int32_t tid, const RawRecord& record, uint64_t time);

  const AttrTable& attrs_;
  SampleProcessor& samples_;
  Diagnostics& diagnostics_;
  absl::flat_hash_map<int32_t, std::unique_ptr<Sleep>> sleeps_;  // by tid
  uint64_t memory_ = 0;
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_SLEEP_TRACKER_H_
