// SPDX-License-Identifier: Apache-2.0
#include "converter/session/session.h"

#include <type_traits>

#include "converter/base/status_macros.h"
#include "converter/perf/records/all_records.h"
#include "converter/perf/records/decode.h"
#include "converter/perf/records/skip_record.h"
#include "converter/perf/records/wire.h"

namespace perf2x {
namespace {

using Severity = Diagnostics::Severity;

// True if the tracker applies records of type R.
template <class Tracker, class R>
concept Applies = requires(Tracker& tracker, const R& record,
                           const RecordContext& context) {
  tracker.Apply(record, context);
};

// Applies `record` to the one tracker that has an Apply for its type, if any.
template <class R, class... Trackers>
absl::Status ApplyTo(const R& record, const RecordContext& context,
                     Trackers&... trackers) {
  static_assert((Applies<Trackers, R> + ...) <= 1);
  absl::Status status;
  const auto apply = [&](auto& tracker) {
    if constexpr (Applies<decltype(tracker), R>) {
      status = tracker.Apply(record, context);
    }
  };
  (apply(trackers), ...);
  return status;
}

}  // namespace

absl::Status Session::Apply(const RawRecord& record,
                            std::optional<uint64_t> time) {
  trackers_.events.SyncIfStale();
  const bool may_wait = record.type == kRecordSample
                            ? trackers_.events.has_deferred_callchains()
                            : record.type == kRecordCallchainDeferred;
  trackers_.counts.CountTowardCheck(8 + record.body.size());
  if (!may_wait && deferred_.idle()) {
    RETURN_IF_ERROR(ApplyNow(record, time, {}));
    return AccountIfDue();
  }
  deferred_.Push(record, time, trackers_.deps.attrs);
  RETURN_IF_ERROR(ReleaseDeferred(/*all=*/false));
  return AccountIfDue();
}

absl::Status Session::ReleaseDeferred(bool all) {
  return deferred_.Release(all, [this](const RawRecord& record,
                                       std::optional<uint64_t> time,
                                       absl::Span<const uint64_t> user) {
    RETURN_IF_ERROR(ApplyNow(record, time, user));
    // Only the held record keeps its bytes alive.
    RETURN_IF_ERROR(trackers_.samples.Flush());
    // Many samples may be released at once, each with the whole callchain.
    trackers_.counts.CountTowardCheck(8 + record.body.size() + 8 * user.size());
    return AccountIfDue();
  });
}

absl::Status Session::ApplyNow(const RawRecord& record,
                               std::optional<uint64_t> time,
                               absl::Span<const uint64_t> deferred) {
  if (!trackers_.counts.Admit(record)) return absl::OkStatus();
  const bool reports = trackers_.sink.requirements().records;
  trackers_.counts.NoteTime(time);
  if (trackers_.mappings.has_pending_code() || trackers_.traces.pending()) {
    // Sums of off-CPU time have no time, but are ordered after all records that
    // have one.
    const auto place = trackers_.deps.attrs.SortTimeOf(record);
    if (place.has_value()) RETURN_IF_ERROR(AdvanceTo(*place));
  }
  if (trackers_.traces.observes()) {
    RETURN_IF_ERROR(trackers_.traces.Observe(record));
  }
  if (trackers_.sleeps.active()) {
    bool held = false;
    RETURN_IF_ERROR(trackers_.sleeps.Apply(record, time, deferred, &held));
    if (held) {
      return reports && !trackers_.tee.waits_for_selection()
                 ? trackers_.tee.Observe(record, time)
                 : absl::OkStatus();
    }
  }
  if (record.type == kRecordSample) {
    if (reports) RETURN_IF_ERROR(trackers_.tee.Observe(record, time));
    absl::Status status = trackers_.samples.Apply(record, time, deferred);
    trackers_.tee.ForgetSample();
    return status;
  }
  // Other records may change the meaning of queued samples.
  RETURN_IF_ERROR(trackers_.samples.Flush());
  RETURN_IF_ERROR(ApplyOther(record, time));
  if (trackers_.etm.has_trace()) {
    trackers_.etm.Observe(record, time);
    RETURN_IF_ERROR(EmitEtm());
  }
  // Reported after its thread, if it is the first that names the thread.
  return reports ? trackers_.tee.Observe(record, time) : absl::OkStatus();
}

// Maps the code of jitdumps up to `time`, and emits the samples that hardware
// traces have before it. What a trace has of the time before code was mapped is
// decoded without that code.
absl::Status Session::AdvanceTo(uint64_t time) {
  MappingTracker& mappings = trackers_.mappings;
  if (mappings.has_pending_code()) RETURN_IF_ERROR(trackers_.samples.Flush());
  while (mappings.has_pending_code() && mappings.next_code_time() <= time &&
         trackers_.traces.HasTraceBefore(time)) {
    RETURN_IF_ERROR(MapNextCode());
  }
  mappings.AdvanceTo(time);
  return EmitTraceBefore(time);
}

// Maps the next code of jitdumps, after the samples of traces before its time.
absl::Status Session::MapNextCode() {
  const uint64_t time = trackers_.mappings.next_code_time();
  RETURN_IF_ERROR(EmitTraceBefore(time));
  RETURN_IF_ERROR(trackers_.samples.Flush());
  trackers_.mappings.AdvanceTo(time);
  return absl::OkStatus();
}

// Emits the samples that hardware traces have before `time`.
absl::Status Session::EmitTraceBefore(uint64_t time) {
  while (trackers_.traces.HasTraceBefore(time)) {
    RETURN_IF_ERROR(trackers_.traces.EmitSome(time));
    RETURN_IF_ERROR(AccountIfDue());
  }
  return absl::OkStatus();
}

// Emits the samples that hardware traces have left, whatever their times. Code
// may have been loaded after the last record.
absl::Status Session::EmitRestOfTrace() {
  while (trackers_.traces.has_samples_left() &&
         trackers_.mappings.has_pending_code()) {
    RETURN_IF_ERROR(MapNextCode());
  }
  while (trackers_.traces.has_samples_left()) {
    RETURN_IF_ERROR(trackers_.traces.EmitSome(~uint64_t{0}));
    RETURN_IF_ERROR(AccountIfDue());
  }
  return absl::OkStatus();
}

// Emits the samples of CoreSight traces that have come to their place.
absl::Status Session::EmitEtm() {
  while (trackers_.etm.ready()) {
    RETURN_IF_ERROR(trackers_.etm.EmitSome());
    RETURN_IF_ERROR(AccountIfDue());
  }
  return absl::OkStatus();
}

// Applies a record that is no sample.
absl::Status Session::ApplyOther(const RawRecord& record,
                                 std::optional<uint64_t> time) {
  if (record.type >= kRecordUserFirst) return ApplyHeader(record);
  absl::Status status;
  const bool known = AllRecords::Visit(record.type, [&](auto r) {
    using R = decltype(r);
    if constexpr (!std::is_same_v<R, SampleRecord>) {
      status = DecodeAndApply<R>(record, time);
    }
  });
  if (!known) trackers_.counts.SkipUnknown(record);
  return status;
}

template <class R>
absl::Status Session::DecodeAndApply(const RawRecord& record,
                                     std::optional<uint64_t> time) {
  R decoded;
  const AttrTable& attrs = trackers_.deps.attrs;
  const size_t trailer = attrs.TrailerSize(record);
  const auto body = record.body.subspan(0, record.body.size() - trailer);
  if (!Decode(body, record.order, record.misc, attrs.AttrOf(record),
              &decoded)) {
    CountSkippedRecord(record, kShorterThanItsFields,
                       &trackers_.deps.diagnostics);
    return absl::OkStatus();
  }
  return ApplyTo(decoded, {record, time, attrs.TrailerOf(record)},
                 trackers_.threads, trackers_.mappings, trackers_.sched,
                 trackers_.counters, trackers_.losses, trackers_.parts);
}

absl::Status Session::ApplyHeader(const RawRecord& record) {
  trackers_.events.ObserveTracingData(record);
  if (!trackers_.features.Observe(record, trackers_.deps.budget)) {
    trackers_.deps.diagnostics.Add(
        Severity::kDamage, "header feature is cut short", record.offset);
  }
  trackers_.recorded_code.Observe(record);
  trackers_.mappings.ObserveHeader(record);
  trackers_.traces.ObserveHeader(record);
  trackers_.etm.ObserveHeader(record);
  if (RecordName(record.type).empty()) trackers_.counts.SkipUnknown(record);
  return trackers_.counters.ApplyStat(record);
}

absl::Status Session::ApplyKeys(const OrderedRecords& samples,
                                ByteOrder order) {
  trackers_.events.SyncIfStale();
  // Samples are applied one by one if deferred callchains or jitdump code may
  // come between two of them.
  const bool one_by_one =
      trackers_.events.has_deferred_callchains() || !deferred_.idle() ||
      trackers_.mappings.has_pending_code() || trackers_.traces.pending() ||
      trackers_.sleeps.active();
  OrderedRecords rest = samples;
  while (!rest.records.empty()) {
    size_t done = 1;
    if (trackers_.counts.skips_all()) {
      const TimedRecord& sample = *rest.records[0];
      trackers_.counts.SkipSample(sample.offset, 8 + sample.size);
    } else if (one_by_one) {
      const TimedRecord& sample = *rest.records[0];
      RETURN_IF_ERROR(Apply(rest.RawRecordOf(sample, order), sample.time));
    } else {
      ASSIGN_OR_RETURN(done, trackers_.samples.ApplyKeys(rest, order));
      RETURN_IF_ERROR(AccountIfDue());
    }
    rest.records.remove_prefix(done);
  }
  return absl::OkStatus();
}

absl::Status Session::Flush() { return trackers_.samples.Flush(); }

// Flushes the queued samples before it checks the budget, so that their cost is
// included. That of samples that are delayed for unwinding comes later, but at
// the same record for any number of threads.
absl::Status Session::AccountIfDue() {
  if (!trackers_.counts.is_check_due()) return absl::OkStatus();
  RETURN_IF_ERROR(trackers_.samples.Flush());
  if (trackers_.deps.tables.stacks.memory() > trackers_.deps.max_stack_memory) {
    RETURN_IF_ERROR(SpillStacks());
  }
  trackers_.work.Flush();
  memory_.Set(trackers_.memory() + deferred_.memory());
  trackers_.counts.CheckBudget();
  return absl::OkStatus();
}

absl::Status Session::SpillStacks() {
  if (!trackers_.sink.requirements().spills) return absl::OkStatus();
  // Samples that wait may know no more of their stack than its hash.
  RETURN_IF_ERROR(trackers_.samples.Drain());
  trackers_.facts.stacks.Collect(trackers_.deps.tables);
  RETURN_IF_ERROR(trackers_.deps.emitter.SpillStacks());
  trackers_.deps.tables.stacks.FreeAll();
  return absl::OkStatus();
}

absl::Status Session::EndRecords() {
  RETURN_IF_ERROR(ReleaseDeferred(/*all=*/true));
  RETURN_IF_ERROR(EmitRestOfTrace());
  RETURN_IF_ERROR(trackers_.traces.EndCalls());
  trackers_.traces.EndRecords();
  trackers_.sleeps.EndRecords();
  trackers_.etm.EndRecords();
  RETURN_IF_ERROR(EmitEtm());
  return trackers_.samples.Drain();
}

absl::Status Session::Finish(const ByteAccount& bytes) {
  RETURN_IF_ERROR(trackers_.sink.EnsureBegun());
  trackers_.events.Sync();
  if (trackers_.deps.selector != nullptr)
    RETURN_IF_ERROR(trackers_.deps.selector->Check());
  trackers_.counts.ReportSkipped();
  trackers_.GatherFacts();
  if (deferred_.unused() > 0) {
    // Usual: its sample was lost, or is of another perf record that runs.
    trackers_.deps.diagnostics.Add(
        Severity::kNote, "CALLCHAIN_DEFERRED record that no sample waits for",
        0, 0, deferred_.unused());
  }
  return trackers_.deps.emitter.Finish(trackers_.Summarize(bytes));
}

}  // namespace perf2x
