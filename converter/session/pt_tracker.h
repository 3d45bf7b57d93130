// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_PT_TRACKER_H_
#define PERF2X_SESSION_PT_TRACKER_H_

#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "converter/base/diagnostics.h"
#include "converter/hwtrace/pt_decoder.h"
#include "converter/perf/header/attr_table.h"
#include "converter/perf/header/features.h"
#include "converter/perf/records/aux_records.h"
#include "converter/perf/records/raw_record.h"
#include "converter/perf/records/user_records.h"
#include "converter/session/address_spaces.h"
#include "converter/session/aux_coverage.h"
#include "converter/session/due_order.h"
#include "converter/session/host_environment.h"
#include "converter/session/jit_code.h"
#include "converter/session/process_code.h"
#include "converter/session/pt_queue.h"
#include "converter/session/pt_samples.h"
#include "converter/session/record_counts.h"
#include "converter/session/thread_table.h"
#include "converter/session/work_meter.h"

namespace perf2x {

// Makes samples of an Intel PT trace. Before each record is applied, decodes
// the trace of each CPU or thread up to the record's time. So the trace is
// decoded with the threads and memory maps of that time. Errors are the
// emitter's. Not thread-safe.
class PtTracker {
 public:
  // All must outlive the tracker.
  struct Deps {
    const AttrTable& attrs;
    ThreadTable& threads;
    TraceTables& tables;
    AddressSpaces& spaces;
    const JitCode& jit_code;
    HostEnvironment& environment;
    const HeaderFeatures& features;
    RecordCounts& counts;
    WorkMeter& work;
    Diagnostics& diagnostics;
    PtSamples::Deps samples;
  };
  explicit PtTracker(const Deps& deps)
      : deps_(deps),
        code_(deps.tables, deps.spaces, deps.jit_code, deps.environment,
              deps.features),
        samples_(deps.samples) {}

  // Sets how the traces were recorded. To be called once, before Add. If
  // `conversion` is null, uses the time conversion in `info`, if it has one.
  void SetInfo(const AuxtraceInfoRecord& info,
               const TimeConvRecord* conversion);
  // Adds the buffer of an AUXTRACE record. Keeps its block until it is decoded.
  // Skips and counts buffers of CPUs and threads beyond the first 8192, and
  // bytes that an earlier buffer had.
  void Add(const AuxtraceRecord& trace, const RawRecord& record);
  // SWITCH, SWITCH_CPU_WIDE and ITRACE_START records set the thread that runs
  // on a CPU. AUX records name the data that EndRecords expects. EXIT and FORK
  // end and begin a thread's calls. Ignores all others.
  absl::Status Observe(const RawRecord& record);
  // See PtSamples. To be called once, after the last sample.
  absl::Status EndCalls() { return samples_.EndCalls(); }
  // Counts data that AUX records name, but no AUXTRACE record has. To be called
  // once, after the last record.
  void EndRecords();

  // Returns the number of calls that were reported.
  uint64_t calls() const { return samples_.calls(); }

  // Returns true once SetInfo was called. From then on, records must be passed
  // to Observe.
  bool active() const { return active_; }
  // Returns true if trace before `time`, in ns, is left to decode. For the
  // largest `time`, returns true if any trace is left.
  bool HasTraceBefore(uint64_t time) const { return due_.HasBefore(time); }
  // Decodes the earliest trace of a CPU or thread, up to `time` or a limit of
  // work, and emits its samples. The caller can check the budget between two
  // calls. While RecordCounts::skips_all(), skips and counts the trace.
  // Requires HasTraceBefore(time).
  absl::Status EmitSome(uint64_t time);
  // Returns the approximate memory in bytes, without the recording's blocks.
  uint64_t memory() const {
    constexpr uint64_t kBytesPerCpu = 32;
    return memory_ + threads_.size() * kBytesPerCpu + coverage_.memory() +
           samples_.memory();
  }

 private:
  // A CPU and -1, or -1 and a thread.
  using Place = std::pair<int32_t, int32_t>;
  struct Queue {
    template <class... Args>
    explicit Queue(Args&&... args) : trace(std::forward<Args>(args)...) {}
    PtQueue trace;
    PtPosition position;
    bool waits = false;    // it is in due_
    bool follows = false;  // it had a buffer before
    // Add took the step at which the flow begins anew. EmitSome applies it, at
    // `before`: the time of the step before.
    bool begins = false;
    std::optional<uint64_t> before;
    uint64_t memory = 0;
  };

  std::vector<AuxCoverage::Data> NewDataOf(const AuxtraceRecord& trace,
                                           const RawRecord& record);
  // Returns the index of the queue; nullopt: there are too many.
  std::optional<uint32_t> QueueOf(const AuxtraceRecord& trace);
  void Push(uint32_t queue);
  void SetThread(int32_t cpu, int32_t tid);
  void ObserveAux(const RawRecord& record);
  void ObserveSwitch(const RawRecord& record);
  void Account(Queue* queue);
  void SelectCode(PtQueue* queue);
  PtSettings SettingsOf(const AuxtraceInfoRecord& info) const;

  const Deps deps_;
  ProcessCode code_;
  PtSamples samples_;
  bool active_ = false;
  // If set, the recording should have all data that AUX records name.
  bool keeps_all_ = false;
  AuxCoverage coverage_;
  PtRecording recording_;
  std::deque<Queue> queues_;
  absl::flat_hash_map<Place, uint32_t> by_place_;  // indexes of queues_
  absl::flat_hash_map<int32_t, int32_t> threads_;  // that run, by CPU
  DueOrder due_;
  uint64_t memory_ = 0;
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_PT_TRACKER_H_
