// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_SAMPLE_PROCESSOR_H_
#define PERF2X_SESSION_SAMPLE_PROCESSOR_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/base/attributes.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "converter/base/block.h"
#include "converter/base/diagnostics.h"
#include "converter/base/hash.h"
#include "converter/model/emitter.h"
#include "converter/model/sample_selector.h"
#include "converter/perf/header/attr_table.h"
#include "converter/perf/records/raw_record.h"
#include "converter/perf/records/sample.h"
#include "converter/perf/records/sample_key.h"
#include "converter/perf/records/sample_layout.h"
#include "converter/perf/records/skip_record.h"
#include "converter/perf/records/timed_record.h"
#include "converter/session/address_spaces.h"
#include "converter/session/counter_tracker.h"
#include "converter/session/event_tracker.h"
#include "converter/session/read_deltas.h"
#include "converter/session/record_counts.h"
#include "converter/session/record_tee.h"
#include "converter/session/sample_parts.h"
#include "converter/session/sample_queue.h"
#include "converter/session/sched_tracker.h"
#include "converter/session/stack_builder.h"
#include "converter/session/thread_tracker.h"
#include "converter/session/trace_sink.h"
#include "converter/session/work_meter.h"
#include "converter/tracepoint/format.h"

namespace perf2x {

// Turns SAMPLE records into samples of a trace. Selects samples, finds their
// periods, has their stacks and other parts set, and queues them for the
// emitter. Samples that cannot be decoded, or whose event is unknown, are
// skipped and counted. A sample with readings becomes one sample for each
// counter that grew. If the budget is exhausted meanwhile, skips the other
// samples of the record, and counts the record. Errors are the emitter's. Not
// thread-safe.
class SampleProcessor {
 public:
  // All must outlive the processor. `selector` may be null: all samples are
  // selected.
  struct Deps {
    const AttrTable& attrs;
    EventTracker& events;
    ThreadTracker& threads;
    AddressSpaces& spaces;
    StackBuilder& stacks;
    CounterTracker& counters;
    SchedTracker& sched;
    RecordTee& tee;
    RecordCounts& counts;
    SampleQueue& queue;
    TraceSink& sink;
    SampleSelector* selector;
    // Threads that may help to unwind user stack dumps.
    HelperPool* helpers;
    SampleParts& parts;
    WorkMeter& work;
    Diagnostics& diagnostics;
  };
  explicit SampleProcessor(const Deps& deps) : deps_(deps) {}

  // Processes one sample. `deferred` is the user part of a callchain that came
  // in a CALLCHAIN_DEFERRED record; else empty. Holds `*record.block`,
  // in which the record's bytes lie, as long as it needs them.
  absl::Status Apply(const RawRecord& record, std::optional<uint64_t> time,
                     absl::Span<const uint64_t> deferred);
  // As Apply, for a sample of off-CPU time: the thread slept for `period` ns,
  // up to `time`.
  absl::Status ApplySleep(const RawRecord& record, uint64_t time,
                          uint64_t period, absl::Span<const uint64_t> deferred);
  // Returns true if ApplyKeys takes the samples of an event: the emitter
  // requires nothing that only a decoded sample has.
  bool AcceptsKeysOf(uint32_t event);
  // Counts and processes samples by their keys, in order, until
  // RecordCounts::is_check_due(). Returns how many it processed. The caller
  // must check the budget before it passes the remaining samples.
  // RecordCounts::skips_all() must be false, and AcceptsKeysOf true of the
  // events.
  absl::StatusOr<size_t> ApplyKeys(const OrderedRecords& samples,
                                   ByteOrder order);
  // Processes a sample that was decoded from a hardware trace. `event` is an
  // index in the AttrTable. `raw` has the sample's cpumode, offset and block.
  // Set `same_record` if only event, `addr` and `period` differ from the sample
  // of the last call. Both events must then record the same fields.
  absl::Status ApplyFromTrace(const SampleRecord& sample, EventId event,
                              const RawRecord& raw,
                              std::optional<uint64_t> time, bool same_record);
  // As ApplyFromTrace, for a sample without a callchain, if needs_only_keys().
  // `block` owns the trace. Set `same_record` if only event and period differ
  // from the sample of the last call.
  absl::Status ApplyKeyFromTrace(const SampleKey& key, uint16_t misc,
                                 std::optional<uint64_t> time,
                                 const BlockRef& block, bool same_record);
  // See TraceSink.
  bool needs_only_keys() const { return deps_.sink.needs_only_keys(); }
  // Emits all queued samples except those that are delayed for unwinding. To be
  // called before the bytes of queued samples become invalid, and before a
  // record is applied that changes threads or mappings.
  absl::Status Flush() { return deps_.queue.Flush(); }
  // Emits all queued samples. To be called after the last record.
  absl::Status Drain() { return deps_.queue.Drain(); }

  // Returns the approximate memory of the counters of groups, in bytes.
  uint64_t memory() const {
    constexpr uint64_t kBytesPerCounter = 128;
    return read_deltas_.size() * kBytesPerCounter;
  }

 private:
  bool DecodeSample(const RawRecord& record, uint32_t event);
  absl::Status ApplyGroup(const SampleContext& context);
  // `event` is an index in the AttrTable.
  absl::Status Emit(const SampleRecord& record, uint32_t event, uint64_t period,
                    const SampleContext& context);
  // What the samples of an event need besides their keys.
  struct KeyUse {
    uint32_t event = kNoEvent;
    bool needs_record = false;
    int event_id_at = -1;  // in the body, if the emitter requires it
    // If set, their raw data tell who was switched or woken.
    SchedPayloads* sched = nullptr;
    const SampleLayout* layout = nullptr;  // with `sched`
  };
  void SetUse(uint32_t event, KeyUse* use) const;
  absl::Status ApplyOneKey(const TimedRecord& sample, const BlockRef& block,
                           const KeyUse& use, ByteOrder order);
  ABSL_ATTRIBUTE_ALWAYS_INLINE inline absl::Status EmitKey(
      const TimedRecord& sample, const BlockRef& block, QueuedSample** queued);
  absl::Status QueueSched(const TimedRecord& sample, const KeyUse& use,
                          ByteOrder order, const Sample& queued);
  ABSL_ATTRIBUTE_ALWAYS_INLINE inline absl::Status Enqueue(
      const SampleKey& key, uint16_t misc, std::optional<uint64_t> time,
      ThreadState& thread, QueuedSample** queued);
  bool Selects(const SampleKey& key, uint16_t misc,
               std::optional<uint64_t> time, ThreadId thread,
               ProcessState& process);
  void PrefetchFor(absl::Span<const TimedRecord* const> samples,
                   size_t bytes_of_bodies) const;
  void Skip(const RawRecord& record, absl::string_view why) {
    CountSkippedRecord(record, why, &deps_.diagnostics);
  }

  const Deps deps_;
  std::vector<bool> accepts_keys_;  // by event, see AcceptsKeysOf
  ReadDeltas read_deltas_;
  // Of the last sample of ApplyKeyFromTrace: its thread and, if they are set,
  // the hash of its stack and its address space.
  ThreadState* trace_thread_ = nullptr;
  bool has_trace_stack_ = false;
  Hash128 trace_hash_;
  AddressSpaceId trace_space_ = 0;
  SampleRecord sample_;  // reused, it is large
  // sample_type and branch_sample_type of the event of sample_.
  std::pair<uint64_t, uint64_t> sample_fields_ = {0, 0};
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_SAMPLE_PROCESSOR_H_
