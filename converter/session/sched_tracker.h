// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_SCHED_TRACKER_H_
#define PERF2X_SESSION_SCHED_TRACKER_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "converter/base/status_macros.h"
#include "converter/model/emitter.h"
#include "converter/model/trace_tables.h"
#include "converter/perf/records/kernel_records.h"
#include "converter/session/namespace_tids.h"
#include "converter/session/record_context.h"
#include "converter/session/sched_events.h"
#include "converter/session/thread_tracker.h"
#include "converter/session/trace_sink.h"
#include "converter/tracepoint/format.h"

namespace perf2x {

// Reports who runs on which CPU and who wakes whom, from SWITCH records and
// from the scheduler's tracepoints. Errors are the emitter's. Not thread-safe.
class SchedTracker {
 public:
  // All must outlive the tracker.
  SchedTracker(const TraceTables& tables, ThreadTracker& threads,
               TraceSink& sink)
      : tables_(tables), threads_(threads), sink_(sink) {}

  // Report one switch for each record: the thread of the record's trailer goes
  // on or off its CPU. A CPU-wide record also names the next or previous
  // thread. That thread becomes Switch::other and is reported to the emitter
  // (OnThread) if it is new.
  absl::Status Apply(const SwitchRecord& record, const RecordContext& context);
  absl::Status Apply(const SwitchCpuWideRecord& record,
                     const RecordContext& context);
  // Reports the switch or wakeup in a tracepoint's payload `raw`. To be called
  // after its `sample` was emitted. `sample.period` must be the number of hits
  // that the sample stands for. A switch becomes two events: the old thread
  // goes out, then the new one comes in. If the period exceeds 1, the first of
  // the two has Switch::after_gap set. Ignores other tracepoints, payloads that
  // lack a field, and threads that were not seen (ThreadTable::HasSeen) or are
  // not known in perf's PID namespace (see NamespaceTids). `format` must
  // outlive the tracker.
  absl::Status ApplyTracepoint(const TracepointFormat& format,
                               absl::Span<const uint8_t> raw,
                               const Sample& sample) {
    SchedPayloads* const payloads = events_.PayloadsOf(format);
    return payloads == nullptr ? absl::OkStatus()
                               : ApplyTracepoint(*payloads, raw, sample);
  }
  // As above, with a result of PayloadsOf.
  absl::Status ApplyTracepoint(SchedPayloads& payloads,
                               absl::Span<const uint8_t> raw,
                               const Sample& sample) {
    SchedNumbers numbers;
    return payloads.Decode(raw, &numbers)
               ? ApplyTracepoint(payloads, numbers, sample)
               : absl::OkStatus();
  }
  // As above, with the numbers in the payload.
  absl::Status ApplyTracepoint(SchedPayloads& payloads,
                               const SchedNumbers& numbers,
                               const Sample& sample) {
    const SchedEvent event = payloads.EventOf(numbers);
    return event.kind == SchedEvent::Kind::kWakeup
               ? ReportWakeup(event, sample)
               : ReportSwitch(event, sample);
  }
  // See SchedEventDecoder::PayloadsOf.
  SchedPayloads* PayloadsOf(const TracepointFormat& format) {
    return events_.PayloadsOf(format);
  }
  // Returns the memory of what grows with the input, in bytes.
  uint64_t memory() const { return tids_.memory(); }

 private:
  // Returns the switch of a SWITCH record, and announces its thread.
  absl::StatusOr<Switch> SwitchOf(const RecordContext& context);
  // Sets `*id` to the result of ThreadTracker::AnnounceIfSeen for a tid of the
  // root PID namespace.
  absl::Status Find(int32_t root_tid, std::optional<uint64_t> time,
                    ThreadId* id) {
    const int32_t tid = tids_.TidOf(root_tid);
    *id = threads_.KnownIdOf(tid);
    if (*id == kNoId && tid >= 0) {
      ASSIGN_OR_RETURN(*id, threads_.AnnounceIfSeen(tid, time));
    }
    return absl::OkStatus();
  }
  absl::Status ReportWakeup(const SchedEvent& event, const Sample& sample);
  absl::Status ReportSwitch(const SchedEvent& event, const Sample& sample);
  // Learns who `event` takes off the CPU, from its sample. If that is news,
  // reports when the thread went on the CPU: at the switch before.
  absl::Status LearnThread(const SchedEvent& event, const Sample& sample);
  void NoteSwitch(const Sample& sample);

  const TraceTables& tables_;
  ThreadTracker& threads_;
  TraceSink& sink_;
  NamespaceTids tids_;
  // The time of the latest switch of each CPU, if tids differ.
  std::vector<std::optional<uint64_t>> switched_at_;
  SchedEventDecoder events_;
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_SCHED_TRACKER_H_
