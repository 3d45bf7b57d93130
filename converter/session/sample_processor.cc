// SPDX-License-Identifier: Apache-2.0
#include "converter/session/sample_processor.h"

#include <algorithm>
#include <array>
#include <utility>

#include "converter/base/prefetch.h"
#include "converter/base/status_macros.h"
#include "converter/perf/records/decode.h"
#include "converter/perf/records/wire.h"
#include "converter/session/cpu_mode.h"
#include "converter/session/offcpu_sample.h"
#include "converter/session/sched_events.h"

namespace perf2x {

// Decodes a sample of `event` into sample_. Without kVariableFields, all
// samples of events that record the same have the same fields and overwrite
// those of the last sample, so sample_ need not be cleared.
bool SampleProcessor::DecodeSample(const RawRecord& record, uint32_t event) {
  constexpr uint64_t kVariableFields =
      kSampleRead | kSampleRegsUser | kSampleStackUser | kSampleRegsIntr;
  const EventAttr& attr = deps_.events.event(event).attr;
  const std::pair type(attr.sample_type, attr.branch_sample_type);
  if (type != sample_fields_ || (attr.sample_type & kVariableFields) != 0) {
    sample_ = SampleRecord();
    sample_fields_ = type;
  }
  return Decode(record.body, record.order, record.misc, attr, &sample_);
}

absl::Status SampleProcessor::Apply(const RawRecord& record,
                                    std::optional<uint64_t> time,
                                    absl::Span<const uint64_t> deferred) {
  RETURN_IF_ERROR(deps_.queue.FlushSchedEvents());
  const uint32_t event = deps_.attrs.EventOf(record);
  if (event == kNoEvent) {
    Skip(record, "of an event that is not known");
    return absl::OkStatus();
  }
  if (!DecodeSample(record, event)) {
    Skip(record, "shorter than its fields");
    return absl::OkStatus();
  }
  const RecordedEvent& recorded = deps_.events.event(event);
  const uint64_t type = recorded.attr.sample_type;
  const bool is_sleep =
      recorded.kind == EventKind::kOffCpu && HoldsOffCpuData(sample_);
  const bool has_readings = !is_sleep && (type & kSampleRead) != 0;
  deps_.parts.BeginRecord(/*shared=*/has_readings || is_sleep);
  const SampleContext context = {record, time, event, recorded.attr, deferred};
  if (is_sleep) {
    const auto sleep = DecodeOffCpuSample(sample_, record.order);
    if (sleep.has_value()) return Emit(*sleep, event, sleep->period, context);
    Skip(record, "with off-CPU data shorter than its callchain");
    return absl::OkStatus();
  }
  if (has_readings) return ApplyGroup(context);
  return Emit(
      sample_, event,
      (type & kSamplePeriod) ? sample_.period : recorded.default_period(),
      context);
}

absl::Status SampleProcessor::ApplySleep(const RawRecord& record, uint64_t time,
                                         uint64_t period,
                                         absl::Span<const uint64_t> deferred) {
  RETURN_IF_ERROR(deps_.queue.FlushSchedEvents());
  const uint32_t event = deps_.attrs.EventOf(record);
  if (!DecodeSample(record, event)) {
    Skip(record, "shorter than its fields");
    return absl::OkStatus();
  }
  deps_.parts.BeginRecord(/*shared=*/false);
  return Emit(sample_, event, period,
              {record, time, event, deps_.events.event(event).attr, deferred});
}

absl::Status SampleProcessor::ApplyFromTrace(const SampleRecord& sample,
                                             EventId event,
                                             const RawRecord& raw,
                                             std::optional<uint64_t> time,
                                             bool same_record) {
  RETURN_IF_ERROR(deps_.queue.FlushSchedEvents());
  deps_.counts.NoteTime(time);
  if (!same_record) deps_.parts.BeginRecord(/*shared=*/true);
  return Emit(sample, event, sample.period,
              {raw, time, event, deps_.events.event(event).attr, {}});
}

absl::Status SampleProcessor::ApplyKeyFromTrace(const SampleKey& key,
                                                uint16_t misc,
                                                std::optional<uint64_t> time,
                                                const BlockRef& block,
                                                bool same_record) {
  if (!same_record) {
    RETURN_IF_ERROR(deps_.queue.FlushSchedEvents());
    deps_.counts.NoteTime(time);
    trace_thread_ = &deps_.threads.GetThread(key.pid, key.tid);
    has_trace_stack_ = false;
  }
  QueuedSample* queued = nullptr;
  RETURN_IF_ERROR(Enqueue(key, misc, time, *trace_thread_, &queued));
  if (queued == nullptr) return absl::OkStatus();
  queued->pending = nullptr;
  if (has_trace_stack_) {
    // The record's first sample puts the stack into the table.
    queued->callchain = {};
    queued->SetHash(trace_hash_);
    queued->sample.address_space = trace_space_;
  } else {
    deps_.stacks.SetFromAddress(misc, key.ip, *trace_thread_->process, queued);
    trace_hash_ = queued->hash;
    trace_space_ = queued->sample.address_space;
    has_trace_stack_ = true;
  }
  deps_.queue.HoldBlock(block, queued->copied_bytes());
  return absl::OkStatus();
}

// Processes a sample with readings of counters: of its own event's or of a
// group's. Emits one sample for each counter that grew, all with the same
// parts.
absl::Status SampleProcessor::ApplyGroup(const SampleContext& context) {
  // Counters come after earlier samples.
  if (deps_.sink.requirements().counters) RETURN_IF_ERROR(Flush());
  RETURN_IF_ERROR(deps_.counters.ApplySample(
      sample_, context.event, {context.raw, context.time, SampleId()}));
  absl::Status status;
  bool grew = false, unknown = false, ended = false;
  const auto emit = [&](uint64_t id, uint64_t growth) {
    grew = true;
    const uint32_t member = deps_.attrs.EventOfId(id);
    unknown |= member == kNoEvent;
    // One record may have thousands of members, each with all its branches.
    ended |= deps_.work.exhausted();
    if (member == kNoEvent || ended || !status.ok()) return;
    status = Emit(sample_, member, growth, context);
  };
  const bool backwards =
      read_deltas_.ForEachGrowth(sample_, context.attr, emit) > 0;
  const uint64_t bytes = 8 + context.raw.body.size();
  if (ended) {
    deps_.counts.SkipForBudget(kRecordSample, context.raw.offset, bytes);
  } else if (unknown) {
    Skip(context.raw, "with a group member that is not known");
  } else if (ReadDeltas::HasUnknownMembers(sample_, context.attr)) {
    Skip(context.raw, "of a group whose counters have no ids");
  } else if (backwards) {
    Skip(context.raw, "with a counter that runs backwards");
  } else if (!grew) {
    deps_.diagnostics.Add(Diagnostics::Severity::kNote,
                          "SAMPLE record in which no counter grew",
                          context.raw.offset, bytes);
  }
  return status;
}

absl::Status SampleProcessor::Emit(const SampleRecord& record, uint32_t event,
                                   uint64_t period,
                                   const SampleContext& context) {
  SampleKey key;
  key.event = event;
  key.pid = record.pid;
  key.tid = record.tid;
  key.cpu = record.cpu;
  key.ip = record.ip;
  key.period = period;
  if (UserStacks::HasStackDump(record) && !deps_.queue.delays_for_unwinding() &&
      deps_.parts.format_allows_delay()) {
    RETURN_IF_ERROR(deps_.sink.EnsureBegun());  // makes the unwinder
    RETURN_IF_ERROR(deps_.queue.DelayForUnwinding(
        deps_.stacks, deps_.helpers,
        [this](QueuedSample& queued) { deps_.parts.SetPostponed(&queued); }));
  }
  // Earlier samples that wait would overwrite this record's fields.
  if (!deps_.parts.record_allows_delay() && deps_.sink.requirements().fields) {
    RETURN_IF_ERROR(Drain());
  }
  ThreadState& thread = deps_.threads.GetThread(key.pid, key.tid);
  ProcessState& process = *thread.process;
  QueuedSample* queued = nullptr;
  RETURN_IF_ERROR(
      Enqueue(key, context.raw.misc, context.time, thread, &queued));
  if (queued == nullptr) return absl::OkStatus();
  RETURN_IF_ERROR(deps_.tee.ReportSelected());
  const EmitterRequirements& requirements = deps_.sink.requirements();
  const bool is_sched = requirements.switches && deps_.events.is_sched(event);
  const TracepointFormat* format =
      (requirements.fields || is_sched) && !record.raw.empty()
          ? deps_.events.FormatOf(context.attr)
          : nullptr;
  const bool must_emit =
      deps_.parts.Set(record, context, format, process, queued);
  deps_.queue.HoldBlock(*context.raw.block,
                        context.raw.body.size() + queued->copied_bytes());
  // A switch comes after its sample.
  if (!is_sched && !must_emit) return absl::OkStatus();
  RETURN_IF_ERROR(Drain());
  if (format == nullptr || !SchedEventDecoder::CountsHits(context.attr))
    return absl::OkStatus();
  return deps_.sched.ApplyTracepoint(*format, record.raw, queued->sample);
}

bool SampleProcessor::AcceptsKeysOf(uint32_t event) {
  if (needs_only_keys()) return true;
  if (event >= deps_.attrs.recorded_events()) return false;
  while (accepts_keys_.size() <= event) {
    const auto next = static_cast<uint32_t>(accepts_keys_.size());
    accepts_keys_.push_back(
        !deps_.parts.MayHaveRequestedParts(deps_.events.event(next).attr));
  }
  return accepts_keys_[event];
}

absl::StatusOr<size_t> SampleProcessor::ApplyKeys(const OrderedRecords& samples,
                                                  ByteOrder order) {
  const bool reports = deps_.sink.requirements().records;
  // Of a few events each: samples of switches and wake-ups alternate.
  std::array<KeyUse, 4> uses;
  size_t bytes_of_bodies = 0;  // the most that is read for an event so far
  size_t i = 0;
  for (; i < samples.records.size() && !deps_.counts.is_check_due(); ++i) {
    const TimedRecord& sample = *samples.records[i];
    PrefetchFor(samples.records.subspan(i), bytes_of_bodies);
    KeyUse& use = uses[sample.key.event % uses.size()];
    if (use.event != sample.key.event) {
      SetUse(sample.key.event, &use);
      const size_t bytes = use.needs_record || reports ? TimedRecord::kUsualBody
                           : use.event_id_at >= 0      ? kCacheLine
                                                       : 0;
      bytes_of_bodies = std::max(bytes_of_bodies, bytes);
    }
    if (!use.needs_record && !reports) {
      deps_.counts.CountSample(8 + sample.size);
      deps_.counts.NoteTime(sample.time);
      RETURN_IF_ERROR(ApplyOneKey(sample, samples.BlockOf(sample), use, order));
      continue;
    }
    const RawRecord record = samples.RawRecordOf(sample, order);
    deps_.counts.CountTowardCheck(8 + sample.size);
    if (!deps_.counts.Admit(record)) continue;
    deps_.counts.NoteTime(sample.time);
    if (reports) RETURN_IF_ERROR(deps_.tee.Observe(record, sample.time));
    absl::Status status = use.needs_record
                              ? Apply(record, sample.time, {})
                              : ApplyOneKey(sample, *record.block, use, order);
    deps_.tee.ForgetSample();
    RETURN_IF_ERROR(status);
  }
  return i;
}

// The key and the raw data do not suffice if the payload says which thread
// slept, or if the event's attr was skipped, which the reader of the key does
// not know.
void SampleProcessor::SetUse(uint32_t event, KeyUse* use) const {
  *use = KeyUse();
  use->event = event;
  if (event >= deps_.attrs.recorded_events() ||
      deps_.events.event(event).kind == EventKind::kOffCpu) {
    use->needs_record = true;
    return;
  }
  const RecordedEvent& recorded = deps_.events.event(event);
  const EmitterRequirements& requirements = deps_.sink.requirements();
  if (requirements.fields && requirements.event_ids) {
    use->event_id_at = recorded.layout.id;
  }
  if (requirements.switches && SchedEventDecoder::CountsHits(recorded.attr)) {
    const TracepointFormat* const format = deps_.events.sched_format(event);
    if (format != nullptr) use->sched = deps_.sched.PayloadsOf(*format);
    use->layout = &recorded.layout;
  }
}

// Queues a sample, with what its event needs besides the key.
absl::Status SampleProcessor::ApplyOneKey(const TimedRecord& sample,
                                          const BlockRef& block,
                                          const KeyUse& use, ByteOrder order) {
  QueuedSample* queued = nullptr;
  RETURN_IF_ERROR(EmitKey(sample, block, &queued));
  if (queued == nullptr) return absl::OkStatus();
  RETURN_IF_ERROR(deps_.tee.ReportSelected());
  if (use.event_id_at >= 0) {
    queued->event_id = SampleFields::EventId(
        Load<uint64_t>(sample.body + use.event_id_at, order));
    queued->sample.fields = {&queued->event_id, 1};
  }
  return use.sched == nullptr ? absl::OkStatus()
                              : QueueSched(sample, use, order, queued->sample);
}

// Has the switch or wake-up in the raw data of a sample reported after it. The
// sample was queued last.
absl::Status SampleProcessor::QueueSched(const TimedRecord& sample,
                                         const KeyUse& use, ByteOrder order,
                                         const Sample& queued) {
  SchedNumbers numbers;
  if (sample.key.sched_tid != SampleKey::kNotRead) {
    numbers = use.sched->NumbersOf(sample.key);
  } else if (!use.sched->Decode(use.layout->RawOf(sample, order), &numbers)) {
    return absl::OkStatus();
  }
  if (deps_.queue.delays_for_unwinding()) {
    RETURN_IF_ERROR(Drain());
    return deps_.sched.ApplyTracepoint(*use.sched, numbers, queued);
  }
  deps_.queue.ReportAfter(use.sched, numbers);
  deps_.sink.ExpectThread(deps_.threads.KnownIdOf(use.sched->NextTid(numbers)));
  return absl::OkStatus();
}

// Prefetches the data of samples some way after the first one. The samples are
// in another CPU's cache, their threads anywhere in memory.
void SampleProcessor::PrefetchFor(absl::Span<const TimedRecord* const> samples,
                                  size_t bytes_of_bodies) const {
  constexpr size_t kFar = 24, kSlot = 12, kThread = 8, kProcess = 4;
  if (samples.size() > kFar) {
    PrefetchAll(samples[kFar], sizeof(TimedRecord));
  }
  if (samples.size() <= kSlot) return;
  samples[kSlot]->PrefetchBody(bytes_of_bodies);
  const ThreadTracker& threads = deps_.threads;
  threads.PrefetchSlot(samples[kSlot]->key.tid);
  threads.PrefetchThread(samples[kThread]->key.tid);
  threads.PrefetchProcess(samples[kProcess]->key.tid);
  if (samples[kSlot]->key.sched_tid == SampleKey::kNotRead) return;
  threads.PrefetchSlot(samples[kSlot]->key.sched_tid);
  threads.PrefetchThread(samples[kThread]->key.sched_tid);
  threads.PrefetchProcess(samples[kProcess]->key.sched_tid);
}

absl::Status SampleProcessor::EmitKey(const TimedRecord& sample,
                                      const BlockRef& block,
                                      QueuedSample** queued) {
  if (deps_.queue.has_sched_events() &&
      !deps_.threads.IsCurrent(sample.key.pid, sample.key.tid)) {
    RETURN_IF_ERROR(deps_.queue.FlushSchedEvents());
  }
  ThreadState& thread = deps_.threads.GetThread(sample.key.pid, sample.key.tid);
  RETURN_IF_ERROR(
      Enqueue(sample.key, sample.misc, sample.time, thread, queued));
  if (*queued != nullptr) {
    deps_.queue.HoldBlock(block, sample.size);
    deps_.stacks.SetFromKey(sample, block, *thread.process, *queued);
  }
  return absl::OkStatus();
}

// Queues a sample without its stack and sets `*queued` to it. Does not change
// `*queued` if the sample is not selected.
absl::Status SampleProcessor::Enqueue(const SampleKey& key, uint16_t misc,
                                      std::optional<uint64_t> time,
                                      ThreadState& thread,
                                      QueuedSample** queued) {
  ProcessState& process = *thread.process;
  if (!ThreadTable::HasId(thread)) {
    RETURN_IF_ERROR(deps_.queue.Flush());
    RETURN_IF_ERROR(deps_.threads.Announce(thread, time).status());
  }
  RETURN_IF_ERROR(deps_.sink.EnsureBegun());
  if (deps_.selector != nullptr &&
      !Selects(key, misc, time, thread.id, process)) {
    return absl::OkStatus();
  }
  QueuedSample* slot;
  RETURN_IF_ERROR(deps_.queue.Push(&slot));
  Sample& sample = slot->sample;
  if (!deps_.sink.needs_only_keys()) {
    // Copied from a constant: a temporary would be stored in small pieces and
    // then loaded in large ones, which store forwarding does not support.
    static const Sample kEmpty;
    sample = kEmpty;
  }
  sample.event = deps_.events.IdOf(key.event);
  sample.thread = thread.id;
  sample.mode = CpuModeOf(misc);
  sample.cpu = static_cast<int32_t>(key.cpu);
  sample.period = key.period;
  sample.ip = key.ip;
  sample.time = time;
  slot->sched = nullptr;
  deps_.events.CountSample(key.event, key.period);
  if (process.executable != kNoId) ++process.samples;
  // Sums of off-CPU time come at the end of the recording, also those of
  // programs that were replaced.
  if (sample.mode == CpuMode::kUser && !process.replaced_map.empty() &&
      !deps_.events.has_offcpu()) {
    process.replaced_map = AddressMap();
  }
  *queued = slot;
  return absl::OkStatus();
}

bool SampleProcessor::Selects(const SampleKey& key, uint16_t misc,
                              std::optional<uint64_t> time, ThreadId thread,
                              ProcessState& process) {
  SampleSelector::Candidate candidate;
  candidate.event = deps_.events.IdOf(key.event);
  candidate.thread = thread;
  candidate.cpu = static_cast<int32_t>(key.cpu);
  candidate.time = time;
  if (deps_.selector->needs_place()) {
    candidate.dso = deps_.spaces.LocateIp(deps_.spaces.CurrentIdOf(process),
                                          ContextMarkerOf(misc), key.ip,
                                          &candidate.address);
  }
  return deps_.selector->Selects(candidate);
}

}  // namespace perf2x
