// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_EVENT_TRACKER_H_
#define PERF2X_SESSION_EVENT_TRACKER_H_

#include <cstdint>
#include <vector>

#include "converter/base/budget.h"
#include "converter/base/diagnostics.h"
#include "converter/base/saturating_add.h"
#include "converter/model/sample_selector.h"
#include "converter/model/trace_tables.h"
#include "converter/perf/header/attr_table.h"
#include "converter/perf/records/raw_record.h"
#include "converter/session/recorded_formats.h"
#include "converter/tracepoint/format.h"

namespace perf2x {

// Sums over the samples of one event that reached the emitter.
struct EventTotals {
  uint64_t samples = 0;
  uint64_t period = 0;  // saturates
};

// Keeps TraceTables::events in step with the recording's events, reads the
// formats of tracepoints, and counts samples by event. A parameter `event` is
// an index in the AttrTable. Sync must have copied that event. Not thread-safe.
class EventTracker {
 public:
  // All must outlive the tracker; `selector` may be null.
  EventTracker(AttrTable& attrs, TraceTables& tables, SampleSelector* selector,
               Diagnostics& diagnostics, Budget& budget);

  // Calls Sync if events are new or changed since the last call.
  void SyncIfStale() {
    if (seen_version_ != attrs_.version()) Sync();
  }
  // Copies new and changed events of the AttrTable to TraceTables::events. That
  // table only grows. Stages may append events in Emitter::Begin; events that
  // the recording describes later follow them.
  void Sync();

  // Passes the record to RecordedFormats::Observe. If that reads formats,
  // updates all events.
  void ObserveTracingData(const RawRecord& record);
  // See RecordedFormats::Find. Valid as long as the tracker.
  const TracepointFormat* FormatOf(const EventAttr& attr) const {
    return formats_.Find(attr);
  }

  // Valid until the AttrTable changes.
  const RecordedEvent& event(uint32_t event) const {
    return attrs_.events()[event];
  }
  // Returns the id of the event in TraceTables::events. It equals `event`
  // unless stages appended events before this one was described.
  EventId IdOf(uint32_t event) const {
    return event < first_late_ ? event : event + added_;
  }
  // Returns true for the tracepoints of context switches and wake-ups, see
  // SchedEventDecoder::IsSched.
  bool is_sched(uint32_t event) const { return is_sched_[event]; }
  // Returns FormatOf for such a tracepoint; null for other events. Valid as
  // long as the tracker.
  const TracepointFormat* sched_format(uint32_t event) const {
    return sched_formats_[event];
  }
  // Returns true if user callchains of some event come in CALLCHAIN_DEFERRED
  // records.
  bool has_deferred_callchains() const { return has_deferred_callchains_; }
  // Returns true if `perf record --off-cpu` made one of the events.
  bool has_offcpu() const { return has_offcpu_; }

  // Counts a sample that reaches the emitter. If the sum of periods exceeds 64
  // bits, it saturates, and is counted as damage.
  void CountSample(uint32_t event, uint64_t period) {
    EventTotals& total = totals_[event];
    ++total.samples;
    if (period > ~total.period) CountTooLargeSum();
    total.period = SaturatingAdd(total.period, period);
  }
  // By index in the AttrTable.
  const std::vector<EventTotals>& totals() const { return totals_; }

  // Returns the approximate memory of all events and of tracepoint formats, in
  // bytes.
  uint64_t memory() const {
    constexpr uint64_t kBytesPerEvent = 512;
    return tables_.events.size() * kBytesPerEvent + name_bytes_ +
           formats_.memory();
  }

 private:
  void SyncEvent(uint32_t event);
  void CountTooLargeSum();

  AttrTable& attrs_;
  TraceTables& tables_;
  SampleSelector* const selector_;
  Diagnostics& diagnostics_;
  Budget& budget_;
  uint32_t seen_version_ = 0;
  uint32_t known_ = 0;           // events of the AttrTable in the table
  uint32_t added_ = 0;           // events in the table that stages appended
  uint32_t first_late_ = kNoId;  // events from here on come after those
  std::vector<bool> is_sched_;   // by event
  std::vector<const TracepointFormat*> sched_formats_;  // by event
  RecordedFormats formats_;
  bool has_deferred_callchains_ = false;
  bool has_offcpu_ = false;
  uint64_t name_bytes_ = 0;
  std::vector<EventTotals> totals_;  // by event
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_EVENT_TRACKER_H_
