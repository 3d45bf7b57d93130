// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_SAMPLE_PARTS_H_
#define PERF2X_SESSION_SAMPLE_PARTS_H_

#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "converter/base/diagnostics.h"
#include "converter/base/hash.h"
#include "converter/model/emitter.h"
#include "converter/model/trace_tables.h"
#include "converter/perf/records/attr.h"
#include "converter/perf/records/kernel_records.h"
#include "converter/perf/records/sample.h"
#include "converter/session/event_tracker.h"
#include "converter/session/queued_sample.h"
#include "converter/session/record_context.h"
#include "converter/session/sample_fields.h"
#include "converter/session/stack_builder.h"
#include "converter/session/thread_table.h"
#include "converter/session/trace_sink.h"
#include "converter/session/work_meter.h"
#include "converter/tracepoint/format.h"

namespace perf2x {

// Sets the parts of a decoded sample that its SampleKey lacks: the stack and,
// if the emitter requires them, the branches, the memory access and the fields.
// If a record becomes several samples, decodes once what these have in common.
// Not thread-safe.
class SampleParts {
 public:
  // All must outlive the object.
  SampleParts(const EventTracker& events, StackBuilder& stacks,
              const TraceSink& sink, WorkMeter& work, Diagnostics& diagnostics)
      : events_(events),
        stacks_(stacks),
        sink_(sink),
        work_(work),
        diagnostics_(diagnostics) {}

  // Stores the path of a cgroup, for the fields of later samples. Has earlier
  // ones emitted.
  absl::Status Apply(const CgroupRecord& cgroup, const RecordContext& context);
  // Sets the recorded machine, as in uname -m, for the names of registers.
  void set_arch(absl::string_view arch) { fields_.set_arch(arch); }

  // To be called before the first Set for a record. `shared`: the record may
  // become several samples, which differ only in event, address and period, or
  // the sample that Set gets is not the record's own.
  void BeginRecord(bool shared) {
    ++records_;
    shared_ = shared;
    has_branches_ = has_fields_ = false;
    stack_.reset();
  }
  // Sets the parts of a sample of the record; see StackBuilder::SetStack. The
  // stack of a shared record is not left for later. `format` describes
  // `record.raw`; null: not known. If the result is true, the sample must be
  // emitted before the next call, which overwrites what it points to.
  //
  // If stacks may be left for later, so are the fields, unless the record is
  // shared: then SetPostponed must be called right before the sample is
  // emitted, and the record's bytes must stay valid until then.
  bool Set(const SampleRecord& record, const SampleContext& context,
           const TracepointFormat* format, ProcessState& process,
           QueuedSample* queued);
  // Returns true if Set may postpone fields of the record. If not, no sample
  // may wait from Set to the emission of its sample: SetPostponed would
  // overwrite the fields.
  bool record_allows_delay() const { return !shared_; }
  // Sets the fields of a sample that Set has postponed, if it has. They are
  // valid until the next call of this or of Set.
  void SetPostponed(QueuedSample* queued);
  // Returns true if samples may be left for later, as the emitter requires no
  // parts that cannot be.
  bool format_allows_delay() const {
    const EmitterRequirements& requirements = sink_.requirements();
    return !requirements.branches && !requirements.accesses;
  }

  // Returns true if samples of the event may have parts besides the stack and
  // the event id that the emitter requires.
  bool MayHaveRequestedParts(const EventAttr& attr);

  // Returns the number of samples that were given a memory access.
  uint64_t accesses() const { return accesses_; }
  // Returns the approximate memory of the paths of cgroups, in bytes.
  uint64_t memory() const { return fields_.memory(); }

 private:
  struct SharedStack {
    Hash128 hash;
    AddressSpaceId space = 0;
  };

  void SetStack(const SampleRecord& record, const SampleContext& context,
                ProcessState& process, QueuedSample* queued);
  void SetBranches(const SampleRecord& record, const SampleContext& context,
                   const ProcessState& process, QueuedSample* queued);
  void SetAccess(const SampleRecord& record, const EventAttr& attr,
                 Sample* sample);
  void SetFields(const SampleRecord& record, const EventAttr& attr,
                 uint64_t offset, const TracepointFormat* format,
                 Sample* sample);
  void SetTracepoint(const SampleRecord& record, uint64_t offset,
                     const TracepointFormat& format, bool decoded,
                     Sample* sample);

  const EventTracker& events_;
  StackBuilder& stacks_;
  const TraceSink& sink_;
  WorkMeter& work_;
  Diagnostics& diagnostics_;
  SampleFields fields_;
  uint64_t records_ = 0;   // so far
  uint64_t accesses_ = 0;  // see accesses()
  MemoryAccess access_;    // of the current sample
  bool shared_ = false;    // the current record may become several samples
  // If shared_: what the current record's first sample has set. stacks_ then
  // has its branches, fields_ its fields.
  std::optional<SharedStack> stack_;
  bool has_branches_ = false, has_fields_ = false;
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_SAMPLE_PARTS_H_
