// SPDX-License-Identifier: Apache-2.0
#include "converter/session/etm_tracker.h"

#include <vector>

#include "converter/base/status_macros.h"
#include "converter/perf/records/aux_records.h"
#include "converter/perf/records/decode.h"
#include "converter/perf/records/kernel_records.h"
#include "converter/perf/records/wire.h"
#include "converter/session/aux_diagnostics.h"

namespace perf2x {
namespace {

using Severity = Diagnostics::Severity;

// PERF_AUX_FLAG_CORESIGHT_FORMAT_RAW: the trace of one source, not in frames.
constexpr uint64_t kRawFormat = 0x100;

}  // namespace

void EtmTracker::ObserveHeader(const RawRecord& record) {
  switch (record.type) {
    case kRecordAuxtraceInfo:
      return AddInfo(record);
    case kRecordAuxtrace:
      return AddData(record);
    case kRecordTimeConv: {
      TimeConvRecord conversion;
      if (!conversion_.has_value() && Decode(record, &conversion)) {
        conversion_ = conversion;
      }
      return;
    }
    default:
      return;
  }
}

void EtmTracker::AddInfo(const RawRecord& record) {
  AuxtraceInfoRecord info;
  if (info_.has_value() || !EtmDecoder::InThisBuild() ||
      !Decode(record, &info) || info.trace_type != kAuxtraceCsEtm) {
    return;
  }
  info_ = ParseEtmInfo(info.priv);
  if (!info_.has_value()) {
    deps_.diagnostics.Add(
        Severity::kDamage,
        "description of CoreSight trace units that is not understood, so that "
        "their trace is not decoded",
        record.offset, 8 + record.body.size());
    return;
  }
  for (const EtmSource& source : info_->sources) {
    if (EtmDecoder::Decodes(source)) continue;
    deps_.diagnostics.Add(
        Severity::kSkipped,
        "CoreSight trace unit that traces speculatively, which is not decoded",
        record.offset);
  }
}

void EtmTracker::AddData(const RawRecord& record) {
  AuxtraceRecord trace;
  if (!has_trace() || !Decode(record, &trace)) return;
  const uint64_t size = record.payload.size();
  if (size > ~trace.offset) {
    deps_.diagnostics.Add(Severity::kDamage,
                          "AUXTRACE record of more data than there can be",
                          record.offset, size);
    return;
  }
  const uint64_t known = queues_.AddData(
      trace.cpu, trace.tid, trace.offset,
      {record.payload, *record.block, record.offset + 8 + record.body.size()});
  // Each snapshot is all of the buffer.
  if (!info_->snapshot) {
    CountRepeatedAuxData(record.offset, size, known, deps_.diagnostics);
  }
  CountRepeatedAndUnnamed();
}

void EtmTracker::Observe(const RawRecord& record,
                         std::optional<uint64_t> time) {
  if (record.type == AuxRecord::kType) AddFragment(record, time);
  if (record.type == AuxOutputHwIdRecord::kType) AddHardwareId(record);
}

void EtmTracker::AddFragment(const RawRecord& record,
                             std::optional<uint64_t> time) {
  const AttrTable& attrs = deps_.samples.attrs;
  AuxRecord aux;
  if (!Decode(record, &aux, attrs.TrailerSize(record))) return;
  raw_ = (aux.flags & kRawFormat) != 0;
  if (aux.aux_size == 0) return;
  const SampleId id = attrs.TrailerOf(record);
  AuxRange range;
  range.cpu = static_cast<int32_t>(id.cpu);
  range.tid = id.tid;
  range.start = aux.aux_offset;
  if (info_->snapshot && aux.aux_offset >= aux.aux_size) {
    range.start -= aux.aux_size;
  }
  if (aux.aux_size > ~range.start) {
    deps_.diagnostics.Add(Severity::kDamage,
                          "AUX record of more data than there can be",
                          record.offset, 8 + record.body.size());
    return;
  }
  has_fragments_ = true;
  range.end = range.start + aux.aux_size;
  range.time = time;
  range.offset = record.offset;
  range.raw = raw_;
  queues_.AddRange(range);
  CountRepeatedAndUnnamed();
}

void EtmTracker::CountRepeatedAndUnnamed() {
  uint64_t offset = 0;
  const uint64_t repeated = queues_.TakeRepeated(&offset);
  if (repeated > 0 && !info_->snapshot) {
    deps_.diagnostics.Add(
        Severity::kDamage,
        "bytes of AUX data that an AUX record before names, too", offset, 0,
        repeated);
  }
  const uint64_t unnamed = queues_.TakeUnnamed(&offset);
  if (unnamed == 0) return;
  deps_.diagnostics.Add(Severity::kDamage,
                        "bytes of CoreSight trace that no AUX record names",
                        offset, 0, unnamed);
}

void EtmTracker::AddHardwareId(const RawRecord& record) {
  const AttrTable& attrs = deps_.samples.attrs;
  AuxOutputHwIdRecord hardware;
  if (!Decode(record, &hardware, attrs.TrailerSize(record))) return;
  const auto id = ParseEtmHardwareId(hardware.hw_id);
  // The sources are searched.
  constexpr uint64_t kSourcesPerStep = 32;
  ChargeWork(info_->sources.size() / kSourcesPerStep);
  EtmSource* const source =
      info_->SourceOf(static_cast<int32_t>(attrs.TrailerOf(record).cpu));
  if (!id.has_value() || source == nullptr ||
      (source->trace_id == id->trace_id && source->sink == id->sink)) {
    return;
  }
  // Those that have the source, or will. No fragment is being decoded: EmitSome
  // is called until none is ready.
  decoders_.erase({true, static_cast<uint32_t>(source->cpu)});
  decoders_.erase({false, source->sink});
  decoders_.erase({false, id->sink});
  source->trace_id = id->trace_id;
  source->sink = id->sink;
}

void EtmTracker::EndRecords() {
  if (!has_trace()) return;
  queues_.EndRecords(/*add_unnamed=*/!has_fragments_, raw_);
  // Some records may have been skipped.
  if (!deps_.samples.counts.skips_all()) CountRepeatedAndUnnamed();
}

absl::Status EtmTracker::EmitSome() {
  RETURN_IF_ERROR(deps_.samples.sink.EnsureBegun());
  if (deps_.samples.counts.skips_all()) {
    SkipFragment();
    return absl::OkStatus();
  }
  if (!begun_) BeginFragment();
  while (!deps_.samples.counts.is_check_due()) {
    if (const EtmElement* const element = fragment_.NextElement()) {
      RETURN_IF_ERROR(samples_.OnElement(*element));
    } else if (fragment_.left() > 0) {
      CountLacking(fragment_.Decode());
      ChargeWork(fragment_.TakeWork());
    } else {
      return EndFragment();
    }
  }
  return absl::OkStatus();
}

void EtmTracker::BeginFragment() {
  // The sources are searched, and what is known of their CPUs is set.
  constexpr uint64_t kSourcesPerStep = 4;
  ChargeWork(EtmFragmentDecoder::kWorkPerReset +
             info_->sources.size() / kSourcesPerStep);
  const AuxRange& range = queues_.ready();
  begun_ = true;
  if (range.place == nullptr) return CountLacking(range.end - range.start);
  EtmDecoder* const decoder = DecoderOf(range);
  if (decoder == nullptr) {
    return deps_.diagnostics.Add(Severity::kSkipped,
                                 EtmFragmentDecoder::kUnknownUnits,
                                 range.offset, 0, range.end - range.start);
  }
  fragment_.Begin(range, *decoder);
  // A trace of all threads names them, or they are not known.
  const int32_t tid = range.tid >= 0 ? range.tid : -1;
  code_.set_default_thread(tid);
  const AuxData& data = range.place->data;
  const auto origin = data.At(data.NextFrom(range.start, range.end), range.end);
  samples_.Begin({origin.block, origin.offset, range.time, tid});
}

EtmDecoder* EtmTracker::DecoderOf(const AuxRange& range) {
  const int32_t cpu = range.cpu >= 0 ? range.cpu : range.place->cpu;
  const EtmSource* const source = info_->SourceOf(cpu);
  if (range.raw && source == nullptr) return nullptr;
  const uint32_t sink = source == nullptr ? 0 : source->sink;
  const DecoderKey key(range.raw,
                       range.raw ? static_cast<uint32_t>(cpu) : sink);
  const auto [it, is_new] = decoders_.try_emplace(key);
  if (!is_new) return it->second.get();
  // OpenCSD makes a dozen objects for a source, twice, and keeps a few bytes of
  // them for good.
  constexpr uint64_t kWorkPerSource = 512;
  std::vector<EtmSource> sources;
  for (const EtmSource& each : info_->sources) {
    if (range.raw ? &each == source : each.sink == sink) {
      sources.push_back(each);
      // There is no other source that it could be confused with.
      if (range.raw && each.trace_id == 0) sources.back().trace_id = 1;
      const bool converts = each.timer_time && conversion_.has_value();
      samples_.SetConversion(each.cpu, converts ? &*conversion_ : nullptr);
    }
  }
  ChargeWork(kWorkPerSource * sources.size());
  it->second = EtmDecoder::Make(sources, !range.raw, &code_);
  return it->second.get();
}

void EtmTracker::ChargeWork(uint64_t steps) {
  // The budget is to be checked after 64 Ki steps.
  constexpr uint64_t kBytesPerStep = 16;
  deps_.samples.work.Add(steps);
  deps_.samples.counts.CountTowardCheck(kBytesPerStep * steps);
}

absl::Status EtmTracker::EndFragment() {
  absl::Status status;
  if (fragment_.active()) {
    status = samples_.End();
    fragment_.CountFaults(deps_.diagnostics);
  }
  ForgetFragment();
  return status;
}

// Skips what is left of the fragment, as the budget is exhausted.
void EtmTracker::SkipFragment() {
  const AuxRange& range = queues_.ready();
  const uint64_t left =
      fragment_.active() ? fragment_.left() : range.end - range.start;
  deps_.samples.counts.CountTowardCheck(8);
  deps_.samples.counts.SkipForBudget(kRecordSample, range.offset, left);
  if (fragment_.active()) {
    samples_.Abandon();
    fragment_.CountFaults(deps_.diagnostics);
  }
  ForgetFragment();
}

// Removes the fragment, and the data and the state that only it needs.
void EtmTracker::ForgetFragment() {
  if (fragment_.active()) {
    fragment_.End();
    ChargeWork(fragment_.TakeWork());
  }
  queues_.RemoveReady();
  if (!deps_.samples.counts.skips_all()) CountRepeatedAndUnnamed();
  begun_ = false;
}

// A snapshot has only the end of what was traced.
void EtmTracker::CountLacking(uint64_t bytes) {
  if (info_->snapshot) return;
  CountMissingAuxData(queues_.ready().offset, bytes, deps_.diagnostics);
}

uint64_t EtmTracker::memory() const {
  constexpr uint64_t kOfDecoder = 64 << 10;
  return queues_.memory() + decoders_.size() * kOfDecoder + code_.memory() +
         samples_.memory();
}

}  // namespace perf2x
