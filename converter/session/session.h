// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_SESSION_H_
#define PERF2X_SESSION_SESSION_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "converter/perf/records/raw_record.h"
#include "converter/perf/records/timed_record.h"
#include "converter/perf/stream/ordered_reader.h"
#include "converter/perf/stream/record_reader.h"
#include "converter/session/deferred_stacks.h"
#include "converter/session/trackers.h"

namespace perf2x {

// Passes the records of a recording, which come in time order, to trackers. The
// trackers keep the state and report to an emitter. Skips and counts records
// that cannot be decoded, and all records while the budget is exhausted. The
// order of calls: the functions of OrderedReader::Sink, CountSkipped,
// EndRecords, Finish. Errors are the emitter's; see also Finish. After an
// error, only the results may be read. Not thread-safe.
class Session {
 public:
  explicit Session(SessionDeps deps)
      : trackers_(std::move(deps)), memory_(trackers_.deps.budget) {}

  // The functions of OrderedReader::Sink.
  absl::Status Apply(const RawRecord& record, std::optional<uint64_t> time);
  bool AcceptsKeysOf(uint32_t event) {
    return trackers_.samples.AcceptsKeysOf(event);
  }
  absl::Status ApplyKeys(const OrderedRecords& samples, ByteOrder order);
  absl::Status Flush();
  // Counts records that the reader skipped because nothing uses them. To be
  // called before Finish.
  void CountSkipped(const OrderedReader::SkippedRecords& skipped) {
    trackers_.counts.CountSkipped(skipped);
  }
  // Applies the records that waited for deferred callchains, and emits all
  // samples. To be called once, after the last record.
  absl::Status EndRecords();
  // Ends the trace: calls Emitter::Finish. To be called once, after EndRecords.
  // `bytes` is the reader's account. If SampleSelector::Check fails, returns
  // its error and does not call Emitter::Finish.
  absl::Status Finish(const ByteAccount& bytes);

  // Returns the sums of the samples that reached the emitter, by index in the
  // AttrTable.
  const std::vector<EventTotals>& totals() const {
    return trackers_.events.totals();
  }
  // Returns the id of the event that totals() has at `index`.
  EventId EventIdOf(uint32_t index) const {
    return trackers_.events.IdOf(index);
  }
  // Returns the counts of lost records and samples.
  const LossTracker& losses() const { return trackers_.losses; }
  // Complete when Finish calls Emitter::Finish.
  RecordingFacts& facts() { return trackers_.facts; }

 private:
  absl::Status ApplyNow(const RawRecord& record, std::optional<uint64_t> time,
                        absl::Span<const uint64_t> deferred);
  absl::Status ApplyOther(const RawRecord& record,
                          std::optional<uint64_t> time);
  absl::Status ApplyHeader(const RawRecord& record);
  template <class R>
  absl::Status DecodeAndApply(const RawRecord& record,
                              std::optional<uint64_t> time);
  absl::Status ReleaseDeferred(bool all);
  absl::Status AdvanceTo(uint64_t time);
  absl::Status MapNextCode();
  absl::Status EmitTraceBefore(uint64_t time);
  absl::Status EmitRestOfTrace();
  absl::Status EmitEtm();
  absl::Status AccountIfDue();
  absl::Status SpillStacks();

  Trackers trackers_;
  Budget::Share memory_;  // of the trackers and of deferred_
  DeferredStacks deferred_;
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_SESSION_H_
