// SPDX-License-Identifier: Apache-2.0
#include "converter/session/trace_tracker.h"

#include <bit>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "converter/base/status_macros.h"
#include "converter/hwtrace/etm_decoder.h"
#include "converter/perf/records/aux_records.h"
#include "converter/perf/records/decode.h"
#include "converter/perf/records/kernel_records.h"
#include "converter/perf/records/skip_record.h"
#include "converter/perf/records/wire.h"
#include "converter/session/aux_diagnostics.h"

namespace perf2x {
namespace {

using Severity = Diagnostics::Severity;

// Returns why a trace of this type is not decoded, if there is a decoder.
const char* WhyNotDecoded(std::optional<uint32_t> type) {
  if (type == kAuxtraceIntelPt) return ": libipt is not in this build";
  if (type == kAuxtraceCsEtm) {
    return ": not in this build, which was made without libopencsd-dev";
  }
  return "";
}

// The Main ID Register in the CPUID feature, "0x00000000410fd0c0"; 0 if it is
// another machine's.
uint64_t MidrOf(const std::string& cpu_id) {
  constexpr size_t kMaxSize = 32;
  uint64_t midr = 0;
  return cpu_id.size() <= kMaxSize && absl::SimpleHexAtoi(cpu_id, &midr) ? midr
                                                                         : 0;
}

// When the queue's current record is due; records without a time are at once.
uint64_t DueTimeOf(const SpeQueue& queue) { return queue.time().value_or(0); }

}  // namespace

void TraceTracker::ObserveHeader(const RawRecord& record) {
  switch (record.type) {
    case kRecordAuxtraceInfo:
      return AddInfo(record);
    case kRecordAuxtrace:
      return AddTrace(record);
    case kRecordTimeConv: {
      TimeConvRecord conversion;
      if (!Decode(record, &conversion)) {
        return CountSkippedRecord(record, kShorterThanItsFields,
                                  &deps_.diagnostics);
      }
      if (!conversion_.has_value()) conversion_ = conversion;
      return;
    }
    default:
      return;
  }
}

void TraceTracker::AddInfo(const RawRecord& record) {
  AuxtraceInfoRecord info;
  if (!Decode(record, &info)) {
    return CountSkippedRecord(record, kShorterThanItsFields,
                              &deps_.diagnostics);
  }
  if (type_.has_value()) return;
  type_ = info.trace_type;
  if (type_ == kAuxtraceIntelPt && CanDecodeIntelPt()) {
    intel_pt_.SetInfo(info, conversion_ ? &*conversion_ : nullptr);
  }
}

void TraceTracker::AddTrace(const RawRecord& record) {
  AuxtraceRecord trace;
  if (!Decode(record, &trace)) {
    return CountSkippedRecord(record, kShorterThanItsFields,
                              &deps_.diagnostics);
  }
  if (type_ == kAuxtraceCsEtm && EtmDecoder::InThisBuild()) return;
  if (intel_pt_.active()) return intel_pt_.Add(trace, record);
  if (type_ != kAuxtraceArmSpe) {
    skipped_data_ = true;
    deps_.diagnostics.Add(
        Severity::kNote,
        absl::StrCat("hardware trace (",
                     AuxtraceTypeName(type_.value_or(kAuxtraceUnknown)),
                     ") that is not decoded", WhyNotDecoded(type_)),
        record.offset, trace.size);
    return;
  }
  if (!encoding_.has_value() && !deps_.features.cpu_id.empty()) {
    encoding_ = SpeSourceEncodingOf(MidrOf(deps_.features.cpu_id));
  }
  const std::vector<AuxCoverage::Data> parts = NewDataOf(trace, record);
  if (parts.empty()) return;
  const uint32_t index = QueueOf(trace.cpu, trace.tid);
  SpeQueue& queue = queues_[index];
  for (const AuxCoverage::Data& part : parts) {
    const uint64_t skipped = part.start - trace.offset;
    queue.Add(record.payload.subspan(skipped, part.size), *record.block,
              record.offset + 8 + record.body.size() + skipped, part.start);
  }
  buffers_ += parts.size();
  // A queue with a current record is in due_.
  if (!queue.has_record() && queue.Advance()) {
    due_.Push(DueTimeOf(queue), index);
  }
}

// The parts of the record's data that no record before had. In snapshots, which
// the recording does not tell, places come again with other data. perf gives
// each record a reference of its own.
std::vector<AuxCoverage::Data> TraceTracker::NewDataOf(
    const AuxtraceRecord& trace, const RawRecord& record) {
  const AuxCoverage::Data all{trace.offset, record.payload.size()};
  if (all.size == 0) return {};
  std::vector<AuxCoverage::Data> parts =
      coverage_.AddData({trace.cpu, trace.tid, all.start, all.size});
  const bool is_new = references_.insert(trace.reference).second;
  const uint64_t known = all.size - AuxCoverage::SizeOf(parts);
  if (known == 0 || is_new) return {all};
  CountRepeatedAuxData(record.offset, all.size, known, deps_.diagnostics);
  return parts;
}

uint32_t TraceTracker::QueueOf(int32_t cpu, int32_t tid) {
  const std::pair<int32_t, int32_t> place(cpu, cpu < 0 ? tid : -1);
  const auto [it, inserted] =
      by_place_.try_emplace(place, static_cast<uint32_t>(queues_.size()));
  if (inserted) {
    queues_.emplace_back(cpu, tid, conversion_ ? &*conversion_ : nullptr,
                         &deps_.diagnostics);
  }
  return it->second;
}

absl::Status TraceTracker::Observe(const RawRecord& record) {
  if (intel_pt_.active()) return intel_pt_.Observe(record);
  if (record.type == AuxRecord::kType) ObserveAux(record);
  if (record.type == kRecordSwitchCpuWide) ObserveSwitch(record);
  return absl::OkStatus();
}

void TraceTracker::ObserveSwitch(const RawRecord& record) {
  SwitchCpuWideRecord change;
  if (queues_.empty() || !Decode(record, &change)) return;
  const SampleId id = deps_.attrs.TrailerOf(record);
  const auto it = by_place_.find({static_cast<int32_t>(id.cpu), -1});
  if (it == by_place_.end()) return;
  const bool out = (record.misc & kMiscSwitchOut) != 0;
  queues_[it->second].SetThread(out ? static_cast<int32_t>(change.next_prev_tid)
                                    : id.tid);
}

void TraceTracker::ObserveAux(const RawRecord& record) {
  constexpr uint64_t kOverwrite = 2;  // PERF_AUX_FLAG_OVERWRITE: of snapshots
  AuxRecord aux;
  if (!Decode(record, &aux, deps_.attrs.TrailerSize(record)) ||
      (aux.flags & kOverwrite) != 0) {
    return;
  }
  const SampleId id = deps_.attrs.TrailerOf(record);
  coverage_.AddNamed(
      {static_cast<int32_t>(id.cpu), id.tid, aux.aux_offset, aux.aux_size},
      record.offset);
}

void TraceTracker::EndRecords() {
  // Some records may have been skipped.
  if (skipped_data_ || deps_.counts.skips_all()) return;
  intel_pt_.EndRecords();
  for (SpeQueue& queue : queues_) queue.End();
  coverage_.ForEachMissing([this](uint64_t offset, uint64_t bytes) {
    CountMissingAuxData(offset, bytes, deps_.diagnostics);
  });
}

absl::Status TraceTracker::EmitSome(uint64_t time) {
  if (intel_pt_.HasTraceBefore(time)) return intel_pt_.EmitSome(time);
  // CPUs take turns after each few records.
  do {
    RETURN_IF_ERROR(EmitTurn(time));
  } while (due_.HasBefore(time) && !deps_.counts.is_check_due());
  return absl::OkStatus();
}

// Emits the samples of the earliest queue up to the first record of another
// one.
absl::Status TraceTracker::EmitTurn(uint64_t time) {
  constexpr int kMaxRecords = 4096;
  const auto [index, until] = due_.First(time);
  SpeQueue& queue = queues_[index];
  bool more = true;
  for (int i = 0; i < kMaxRecords; ++i) {
    RETURN_IF_ERROR(Emit(queue));
    more = queue.Advance();
    if (!more || DueTimeOf(queue) >= until) break;
  }
  if (more) {
    due_.MoveFirst(DueTimeOf(queue));
  } else {
    due_.RemoveFirst();
  }
  return absl::OkStatus();
}

// Emits the samples of the queue's current record.
absl::Status TraceTracker::Emit(SpeQueue& queue) {
  constexpr uint64_t kSmallRecord = 8;  // bytes of trace
  deps_.counts.CountTowardCheck(kSmallRecord);
  if (deps_.counts.skips_all()) {
    deps_.counts.SkipForBudget(kRecordSample, queue.offset(), kSmallRecord);
    return absl::OkStatus();
  }
  uint32_t events = SpeSampleEvents(queue.record(), deps_.options);
  if (events == 0) return absl::OkStatus();
  emitted_ = false;
  SetKey(queue);
  if (!deps_.samples.needs_only_keys()) SetSample(queue);
  for (; events != 0; events &= events - 1) {
    const auto event = static_cast<SpeSampleEvent>(std::countr_zero(events));
    uint64_t period = 1;
    if (event == SpeSampleEvent::kInstructions) {
      period = deps_.options.records_per_sample();
      if (++queue.instructions < period) continue;
      queue.instructions = 0;
    }
    RETURN_IF_ERROR(EmitSample(queue, event, period));
  }
  return absl::OkStatus();
}

// Sets key_ to what all samples of the record share.
void TraceTracker::SetKey(const SpeQueue& queue) {
  const ThreadState* thread = deps_.threads.FindSeen(queue.tid());
  key_.ip = queue.record().pc;
  key_.tid = queue.tid();
  key_.pid = thread == nullptr ? -1 : thread->process->pid;
  key_.cpu = static_cast<uint32_t>(queue.cpu());
}

// Sets sample_ to what all samples of the record share. Requires SetKey.
void TraceTracker::SetSample(const SpeQueue& queue) {
  const SpeRecord& record = queue.record();
  sample_.ip = key_.ip;
  sample_.tid = key_.tid;
  sample_.pid = key_.pid;
  sample_.cpu = key_.cpu;
  sample_.time = queue.time().value_or(0);
  sample_.phys_addr = record.physical_address;
  sample_.weight = record.latency;
  sample_.data_src =
      SpeDataSource(record, encoding_.value_or(SpeSourceEncoding::kUnknown));
  // The branch itself, then the one before it, of which only the target is
  // known.
  size_t words = 0;
  if (deps_.options.last_branch) {
    const uint64_t mispredicted =
        (record.events & kSpeMispredicted) != 0 ? 1 : 2;
    if (record.branch_target != 0) {
      for (const uint64_t word :
           {record.pc, record.branch_target, mispredicted}) {
        branches_[words++] = word;
      }
    }
    if (record.previous_target != 0) {
      for (const uint64_t word :
           {uint64_t{0}, record.previous_target, uint64_t{0}}) {
        branches_[words++] = word;
      }
    }
  }
  sample_.branch_nr = words / 3;
  sample_.branches = WordSpan(
      reinterpret_cast<const uint8_t*>(branches_.data()), words, kHostOrder);
}

absl::Status TraceTracker::EmitSample(const SpeQueue& queue,
                                      SpeSampleEvent event, uint64_t period) {
  // A few bytes of trace are a sample of eleven events. Formats with a line or
  // a packet for each sample take up to half a microsecond for it.
  constexpr uint64_t kWorkPerSample = 12;
  deps_.work.Add(kWorkPerSample);
  const EventId id = EventOf(event);
  const SpeRecord& record = queue.record();
  const uint16_t misc = record.pc >> 63 != 0 ? kMiscKernel : kMiscUser;
  const bool same_record = std::exchange(emitted_, true);
  if (deps_.samples.needs_only_keys()) {
    key_.event = id;
    key_.period = period;
    return deps_.samples.ApplyKeyFromTrace(key_, misc, queue.time(),
                                           queue.block(), same_record);
  }
  RawRecord raw;
  raw.type = kRecordSample;
  raw.order = kHostOrder;
  raw.misc = misc;
  raw.offset = queue.offset();
  raw.block = &queue.block();
  const bool is_branch =
      event == SpeSampleEvent::kBranch || event == SpeSampleEvent::kBranchMiss;
  sample_.addr = is_branch ? record.branch_target : record.virtual_address;
  sample_.period = period;
  return deps_.samples.ApplyFromTrace(sample_, id, raw, queue.time(),
                                      same_record);
}

EventId TraceTracker::EventOf(SpeSampleEvent event) {
  EventId& id = events_[static_cast<size_t>(event)];
  if (id != kNoId) return id;
  EventAttr attr;
  attr.type = kTypeHardware;
  attr.sample_period = event == SpeSampleEvent::kInstructions
                           ? deps_.options.records_per_sample()
                           : 1;
  attr.sample_type = kSampleIp | kSampleTid | kSampleTime | kSampleAddr |
                     kSampleCpu | kSamplePeriod | kSampleWeight |
                     kSampleDataSrc | kSamplePhysAddr;
  if (deps_.options.last_branch) attr.sample_type |= kSampleBranchStack;
  id = deps_.attrs.AddTraceEvent(attr, SpeSampleEventName(event));
  deps_.events.SyncIfStale();
  return id;
}

}  // namespace perf2x
