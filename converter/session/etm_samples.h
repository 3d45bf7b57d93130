// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_ETM_SAMPLES_H_
#define PERF2X_SESSION_ETM_SAMPLES_H_

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "converter/base/block.h"
#include "converter/hwtrace/etm_flow.h"
#include "converter/hwtrace/itrace_options.h"
#include "converter/perf/header/attr_table.h"
#include "converter/perf/records/sample.h"
#include "converter/perf/records/user_records.h"
#include "converter/session/event_tracker.h"
#include "converter/session/record_counts.h"
#include "converter/session/sample_processor.h"
#include "converter/session/thread_table.h"
#include "converter/session/trace_sink.h"
#include "converter/session/work_meter.h"

namespace perf2x {

// Emits samples for decoded CoreSight traces, as ItraceOptions choose. Emits a
// sample of the event "instructions" for each period, and a sample of
// "branches" for each taken branch. If the emitter requests branch stacks, a
// sample of "branches" instead stands for up to 64 branches, which are its
// branch stack. The branch stacks then cover all code that ran. Each event is
// added to the AttrTable with its first sample. Errors are the emitter's. Not
// thread-safe.
class EtmSamples {
 public:
  // All must outlive the object.
  struct Deps {
    AttrTable& attrs;
    EventTracker& events;
    ThreadTable& threads;
    TraceSink& sink;
    SampleProcessor& samples;
    RecordCounts& counts;
    WorkMeter& work;
    ItraceOptions options;
  };
  explicit EtmSamples(const Deps& deps) : deps_(deps) {}

  // Where a stretch comes from. A stretch is the trace that one AUX record
  // names.
  struct Origin {
    BlockRef block;                // owns the bytes
    uint64_t offset = 0;           // of the bytes in the recording
    std::optional<uint64_t> time;  // of the AUX record, in ns
    int32_t tid = -1;              // of the traced thread; -1: several threads
  };
  // Begins a stretch. To be called before OnElement.
  void Begin(const Origin& origin);
  // Sets the conversion from times in the trace of `cpu` to the recording's
  // clock. `conversion` must outlive the object. Null (the default): samples
  // have the time of the AUX record.
  void SetConversion(int32_t cpu, const TimeConvRecord* conversion) {
    cpus_[cpu].conversion = conversion;
  }
  // Emits the samples of the next element of the stretch.
  absl::Status OnElement(const EtmElement& element);
  // Ends the stretch. Emits the samples of its last branches.
  absl::Status End();
  // Ends the stretch, and drops its incomplete samples.
  void Abandon();

  // Returns the approximate memory, in bytes.
  uint64_t memory() const { return cpus_.size() * kOfCpu; }

 private:
  static constexpr size_t kMaxSteps = 64;
  static constexpr uint64_t kOfCpu = 256 + 2 * kMaxSteps * sizeof(EtmStep);

  struct Cpu {
    EtmFlow flow;
    const TimeConvRecord* conversion = nullptr;
    int32_t tid = -1;
    std::optional<uint64_t> time;
    uint64_t instructions = 0;      // since the last sample of the event
    std::vector<EtmStep> steps;     // for the next branch stack, oldest first
    bool first_is_counted = false;  // in the previous branch stack
    uint64_t branches = 0;  // in `steps`, without a first one already counted
    void ForgetSteps() {
      steps.clear();
      first_is_counted = false;
      branches = 0;
    }
  };

  absl::Status AddRange(const EtmElement& range, int32_t number, Cpu* cpu);
  absl::Status AddStep(const EtmStep& step, int32_t number, Cpu* cpu);
  absl::Status EmitSteps(int32_t number, Cpu* cpu);
  absl::Status Emit(EventId event, uint64_t ip, uint64_t address,
                    uint64_t period, int32_t number, const Cpu& cpu);
  void SetBranches(const std::vector<EtmStep>& steps, bool first_is_bound);
  EventId EventOf(EventId* id, const char* name, uint64_t config,
                  uint64_t period);
  uint64_t period() const;

  const Deps deps_;
  Origin origin_;
  std::map<int32_t, Cpu> cpus_;
  EventId instructions_ = kNoId, branches_ = kNoId;
  SampleRecord sample_;
  std::vector<uint64_t> words_;  // of sample_'s branch stack
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_ETM_SAMPLES_H_
