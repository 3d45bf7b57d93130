// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_TRACE_TRACKER_H_
#define PERF2X_SESSION_TRACE_TRACKER_H_

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "converter/base/diagnostics.h"
#include "converter/hwtrace/itrace_options.h"
#include "converter/hwtrace/spe_samples.h"
#include "converter/perf/header/attr_table.h"
#include "converter/perf/header/features.h"
#include "converter/perf/records/raw_record.h"
#include "converter/perf/records/sample.h"
#include "converter/perf/records/sample_key.h"
#include "converter/perf/records/user_records.h"
#include "converter/session/aux_coverage.h"
#include "converter/session/due_order.h"
#include "converter/session/event_tracker.h"
#include "converter/session/pt_tracker.h"
#include "converter/session/record_context.h"
#include "converter/session/record_counts.h"
#include "converter/session/sample_processor.h"
#include "converter/session/spe_queue.h"
#include "converter/session/thread_table.h"
#include "converter/session/work_meter.h"

namespace perf2x {

// Makes samples of Arm SPE traces (AUX data). Passes Intel PT traces to a
// PtTracker, and ignores CoreSight traces, which EtmTracker decodes. Traces of
// other kinds are counted. Samples are emitted in time order with the
// recording's other samples. Each event is added to the AttrTable with its
// first sample. While RecordCounts::skips_all(), samples are skipped and
// counted. Errors are the emitter's. Not thread-safe.
class TraceTracker {
 public:
  // All must outlive the tracker.
  struct Deps {
    AttrTable& attrs;
    EventTracker& events;
    ThreadTable& threads;
    SampleProcessor& samples;
    RecordCounts& counts;
    const HeaderFeatures& features;
    WorkMeter& work;
    Diagnostics& diagnostics;
    ItraceOptions options;
    PtTracker::Deps intel_pt;
  };
  explicit TraceTracker(const Deps& deps)
      : deps_(deps), intel_pt_(deps.intel_pt) {}

  // Reads AUXTRACE_INFO, AUXTRACE (with payload) and TIME_CONV records. Ignores
  // all others. AUXTRACE_INFO must come before AUXTRACE, or the trace is not
  // decoded. TIME_CONV must come before the first AUXTRACE of a CPU or thread,
  // or its samples have no times. Uses only the first record of either type.
  // Keeps the blocks of AUXTRACE records until their samples are emitted.
  void ObserveHeader(const RawRecord& record);
  // Sets the thread that runs on a CPU from now on, from a record of a context
  // switch or of the start of a trace. Reads AUX records and, for Intel PT,
  // FORK and EXIT records. Ignores all others.
  absl::Status Observe(const RawRecord& record);
  // Reports the calls that were held back. To be called once, after the last
  // sample.
  absl::Status EndCalls() { return intel_pt_.EndCalls(); }
  // Counts data that the recording lacks, and records that have no end. To be
  // called once, after the last record and the last sample.
  void EndRecords();

  // Returns the number of calls that were reported.
  uint64_t calls() const { return intel_pt_.calls(); }
  // Returns true if trace was counted instead of decoded: for lack of a
  // decoder, or of an AUXTRACE_INFO record before it.
  bool has_undecoded_trace() const { return skipped_data_; }

  // Returns true if records must be passed to Observe. Samples need not be, if
  // pending() is false.
  bool observes() const { return type_ == kAuxtraceArmSpe || pending(); }
  // Returns true if samples may be due before the next record (see
  // HasTraceBefore).
  bool pending() const { return !due_.empty() || intel_pt_.active(); }
  // Returns true if samples are left to emit, whatever their times.
  bool has_samples_left() const {
    return !due_.empty() || intel_pt_.HasTraceBefore(~uint64_t{0});
  }
  // Returns true if there are trace records before `time`, or without a time.
  bool HasTraceBefore(uint64_t time) const {
    return due_.HasBefore(time) || intel_pt_.HasTraceBefore(time);
  }
  // If Intel PT trace is due, calls PtTracker::EmitSome. Otherwise emits the
  // samples of the earliest SPE record, and of later ones that are before
  // `time` or without a time, until RecordCounts::is_check_due() or some 4096
  // records later. The caller can check the budget between two calls. Requires
  // HasTraceBefore(time). For the largest `time`, requires only
  // has_samples_left().
  absl::Status EmitSome(uint64_t time);

  // Returns the approximate memory of queues and buffers, in bytes.
  uint64_t memory() const {
    constexpr uint64_t kBytesPerQueue = sizeof(SpeQueue) + 128;
    constexpr uint64_t kBytesPerBuffer = 80 + 16;  // and its reference
    return queues_.size() * kBytesPerQueue + buffers_ * kBytesPerBuffer +
           coverage_.memory() + intel_pt_.memory();
  }

 private:
  void AddInfo(const RawRecord& record);
  void AddTrace(const RawRecord& record);
  std::vector<AuxCoverage::Data> NewDataOf(const AuxtraceRecord& trace,
                                           const RawRecord& record);
  void ObserveAux(const RawRecord& record);
  void ObserveSwitch(const RawRecord& record);
  uint32_t QueueOf(int32_t cpu, int32_t tid);
  absl::Status EmitTurn(uint64_t time);
  absl::Status Emit(SpeQueue& queue);
  absl::Status EmitSample(const SpeQueue& queue, SpeSampleEvent event,
                          uint64_t period);
  EventId EventOf(SpeSampleEvent event);
  void SetKey(const SpeQueue& queue);
  void SetSample(const SpeQueue& queue);

  const Deps deps_;
  PtTracker intel_pt_;
  std::optional<uint32_t> type_;  // of AUXTRACE_INFO
  bool skipped_data_ = false;     // before AUXTRACE_INFO, or without decoder
  std::optional<SpeSourceEncoding> encoding_;  // absent: CPUID not known
  AuxCoverage coverage_;                       // of SPE
  absl::flat_hash_set<uint64_t> references_;   // of SPE's AUXTRACE records
  std::optional<TimeConvRecord> conversion_;
  std::deque<SpeQueue> queues_;
  uint64_t buffers_ = 0;  // in all queues, since the beginning
  absl::flat_hash_map<std::pair<int32_t, int32_t>, uint32_t> by_place_;
  DueOrder due_;
  std::array<EventId, kSpeSampleEvents> events_ = {kNoId, kNoId, kNoId, kNoId,
                                                   kNoId, kNoId, kNoId, kNoId,
                                                   kNoId, kNoId, kNoId};
  // The current record as a sample; key_ alone if no more is needed.
  SampleKey key_;
  SampleRecord sample_;
  bool emitted_ = false;  // for an event
  std::array<uint64_t, 6> branches_{};
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_TRACE_TRACKER_H_
