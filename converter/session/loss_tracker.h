// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_LOSS_TRACKER_H_
#define PERF2X_SESSION_LOSS_TRACKER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "converter/model/emitter.h"
#include "converter/perf/header/attr_table.h"
#include "converter/perf/records/kernel_records.h"
#include "converter/session/event_tracker.h"
#include "converter/session/record_context.h"
#include "converter/session/thread_tracker.h"
#include "converter/session/trace_sink.h"

namespace perf2x {

// Counts what a recording lacks, and reports it to the emitter: lost records
// and samples, gaps in AUX data, and events that the kernel throttled. Errors
// are the emitter's. Not thread-safe.
class LossTracker {
 public:
  // All must outlive the tracker.
  LossTracker(const AttrTable& attrs, const EventTracker& events,
              ThreadTracker& threads, TraceSink& sink)
      : attrs_(attrs), events_(events), threads_(threads), sink_(sink) {}

  // These two count lost records or samples, and report them to the emitter.
  // Samples that a filter of perf dropped are only counted.
  absl::Status Apply(const LostRecord& lost, const RecordContext& context);
  absl::Status Apply(const LostSamplesRecord& lost,
                     const RecordContext& context);
  // Reports a gap in AUX data if the record's flags say so.
  absl::Status Apply(const AuxRecord& aux, const RecordContext& context);
  // These two report that the throttling of an event began or ended.
  absl::Status Apply(const ThrottleRecord& record,
                     const RecordContext& context) {
    return ReportThrottle(record, /*begin=*/true, context);
  }
  absl::Status Apply(const UnthrottleRecord& record,
                     const RecordContext& context) {
    return ReportThrottle(record, /*begin=*/false, context);
  }

  // These three counts saturate.
  uint64_t lost_records() const { return lost_records_; }
  uint64_t lost_samples() const { return lost_samples_; }
  // Returns the number of samples dropped by `perf record --filter`. These are
  // no loss: they are not in lost_samples(), and not reported to the emitter.
  uint64_t dropped_samples() const { return dropped_samples_; }
  // Returns the number of AUX records that say that data is missing.
  uint64_t aux_gaps() const { return aux_gaps_; }
  // Appends a line for the user for each of the four counts above that is not
  // 0.
  void AppendLines(std::vector<std::string>* lines) const;

 private:
  absl::Status ReportLost(Lost lost, const RecordContext& context);
  absl::Status ReportThrottle(const ThrottleFields& record, bool begin,
                              const RecordContext& context);
  // If the record has no CPU, announces and returns its thread; else returns
  // kNoId.
  absl::StatusOr<ThreadId> ThreadWithoutCpu(const RecordContext& context);

  const AttrTable& attrs_;
  const EventTracker& events_;
  ThreadTracker& threads_;
  TraceSink& sink_;
  uint64_t lost_records_ = 0, lost_samples_ = 0, dropped_samples_ = 0;
  uint64_t aux_gaps_ = 0;
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_LOSS_TRACKER_H_
