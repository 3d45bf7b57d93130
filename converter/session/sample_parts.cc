// SPDX-License-Identifier: Apache-2.0
#include "converter/session/sample_parts.h"

#include <utility>

#include "converter/base/status_macros.h"
#include "converter/base/truncate_name.h"
#include "converter/perf/records/data_src.h"
#include "converter/perf/records/decode.h"
#include "converter/perf/records/wire.h"

namespace perf2x {
namespace {

BranchChoice BranchChoiceOf(const EventAttr& attr) {
  const uint64_t type = attr.branch_sample_type;
  if ((type & kBranchCallStack) != 0) return BranchChoice::kCallStack;
  return (type & kBranchAny) != 0 ? BranchChoice::kAll : BranchChoice::kSome;
}

}  // namespace

absl::Status SampleParts::Apply(const CgroupRecord& cgroup,
                                const RecordContext& context) {
  RETURN_IF_ERROR(sink_.EmitEarlier());
  fields_.AddCgroup(
      cgroup.id, TruncatePath(cgroup.path, context.raw.offset, &diagnostics_));
  return absl::OkStatus();
}

bool SampleParts::MayHaveRequestedParts(const EventAttr& attr) {
  const EmitterRequirements& requirements = sink_.requirements();
  const uint64_t type = attr.sample_type;
  return requirements.branches ||
         (requirements.accesses && (type & kSampleAddr) != 0) ||
         (requirements.fields &&
          ((type & kSampleRaw) != 0 || fields_.HasMoreThanEventId(attr)));
}

bool SampleParts::Set(const SampleRecord& record, const SampleContext& context,
                      const TracepointFormat* format, ProcessState& process,
                      QueuedSample* queued) {
  SetStack(record, context, process, queued);
  const EmitterRequirements& requirements = sink_.requirements();
  if (requirements.branches) SetBranches(record, context, process, queued);
  if (requirements.accesses) SetAccess(record, context.attr, &queued->sample);
  if (!requirements.fields) return !format_allows_delay();
  if (record_allows_delay() && queued->pending != nullptr) {
    const RawRecord& raw = context.raw;
    queued->postponed = {.wait = true,
                         .body = raw.body,
                         .order = raw.order,
                         .misc = raw.misc,
                         .offset = raw.offset,
                         .event = context.event,
                         .format = format};
    return !format_allows_delay();
  }
  SetFields(record, context.attr, context.raw.offset, format, &queued->sample);
  return true;
}

void SampleParts::SetPostponed(QueuedSample* queued) {
  const PostponedFields& from = queued->postponed;
  if (!from.wait) return;
  const EventAttr& attr = events_.event(from.event).attr;
  SampleRecord record;
  // It was decoded before, but the mapped file may have changed.
  if (!Decode(from.body, from.order, from.misc, attr, &record)) return;
  const bool shared = std::exchange(shared_, false);
  SetFields(record, attr, from.offset, from.format, &queued->sample);
  shared_ = shared;
}

void SampleParts::SetStack(const SampleRecord& record,
                           const SampleContext& context, ProcessState& process,
                           QueuedSample* queued) {
  if (shared_ && stack_.has_value()) {
    // The record's first sample has put the stack into the table by the time
    // that this sample's stack is looked up.
    queued->callchain = {};
    queued->hash = stack_->hash;
    queued->sample.address_space = stack_->space;
    return;
  }
  // The record's other samples need the hash of the stack.
  if (shared_) queued->pending = nullptr;
  stacks_.SetStack(record, context, process, queued);
  if (shared_) stack_ = {queued->hash, queued->sample.address_space};
}

void SampleParts::SetBranches(const SampleRecord& record,
                              const SampleContext& context,
                              const ProcessState& process,
                              QueuedSample* queued) {
  if (shared_) work_.Add(record.branches.size());
  if (shared_ && std::exchange(has_branches_, true)) {
    queued->sample.branches = stacks_.branches();
  } else {
    stacks_.SetBranches(record, process, sink_.requirements(), queued);
  }
  queued->sample.branch_choice = BranchChoiceOf(context.attr);
}

void SampleParts::SetAccess(const SampleRecord& record, const EventAttr& attr,
                            Sample* sample) {
  const uint64_t type = attr.sample_type;
  if ((type & kSampleAddr) == 0 || record.addr == 0) return;
  access_ = MemoryAccess();
  if ((type & kSampleDataSrc) != 0) {
    if (!HasMemoryOperation(record.data_src)) return;
    access_.access = DataAccessOf(record.data_src);
  }
  access_.number = records_;
  access_.address = record.addr;
  constexpr uint64_t kFirstOfThree = 0xffffffff;
  access_.weight = (type & kSampleWeightStruct) != 0
                       ? record.weight & kFirstOfThree
                       : record.weight;
  sample->access = &access_;
  ++accesses_;
}

void SampleParts::SetFields(const SampleRecord& record, const EventAttr& attr,
                            uint64_t offset, const TracepointFormat* format,
                            Sample* sample) {
  if (shared_) {
    work_.Add(record.read.members.size() + record.branches.size());
  }
  const bool decoded = shared_ && std::exchange(has_fields_, true);
  sample->fields =
      decoded ? fields_.WithAddress(record.addr) : fields_.Decode(record, attr);
  if (format != nullptr) {
    SetTracepoint(record, offset, *format, decoded, sample);
  }
}

// Sets the fields of a tracepoint. `decoded`: fields_ has decoded the record.
void SampleParts::SetTracepoint(const SampleRecord& record, uint64_t offset,
                                const TracepointFormat& format, bool decoded,
                                Sample* sample) {
  sample->tracepoint = decoded ? fields_.tracepoint()
                               : fields_.DecodeTracepoint(format, record.raw);
  const TracepointFields& made_of = fields_.decoded_tracepoint();
  // Several fields may have the same bytes, and each becomes a line of text.
  constexpr uint64_t kWorkPerField = 4, kTextPerStep = 8;
  work_.Add(kWorkPerField * sample->tracepoint.size() +
            made_of.text_bytes / kTextPerStep);
  if (made_of.omitted_shared > 0 && !decoded) {
    diagnostics_.Add(Diagnostics::Severity::kSkipped,
                     "field of a tracepoint that shares its bytes with others",
                     offset, /*bytes=*/0, made_of.omitted_shared);
  }
}

}  // namespace perf2x
