// SPDX-License-Identifier: Apache-2.0
#include "converter/session/etm_tracker.h"

#include <algorithm>

#include "converter/base/status_macros.h"
#include "converter/perf/records/aux_records.h"
#include "converter/perf/records/decode.h"
#include "converter/perf/records/kernel_records.h"
#include "converter/perf/records/wire.h"

namespace perf2x {
namespace {

using Severity = Diagnostics::Severity;

// PERF_AUX_FLAG_CORESIGHT_FORMAT_RAW: the trace of one source, not in frames.
constexpr uint64_t kRawFormat = 0x100;

// Decoders are reset and look at all of their state.
constexpr uint64_t kWorkPerFragment = 512;

constexpr char kUnknownUnits[] =
    "bytes of CoreSight trace of unknown trace units";

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
  if (known > 0 && !info_->snapshot) {
    deps_.diagnostics.Add(
        Severity::kDamage,
        known == size ? "AUXTRACE record whose data came before"
                      : "AUXTRACE record of whose data a part came before",
        record.offset, known);
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
  if (!begun_) RETURN_IF_ERROR(BeginFragment());
  while (!deps_.samples.counts.is_check_due()) {
    if (next_ < elements_.size()) {
      RETURN_IF_ERROR(AddElements());
    } else if (decoder_ != nullptr && at_ < queues_.ready().end) {
      DecodeSome();
    } else {
      return EndFragment();
    }
  }
  return absl::OkStatus();
}

absl::Status EtmTracker::BeginFragment() {
  // The sources are searched, and what is known of their CPUs is set.
  constexpr uint64_t kSourcesPerStep = 4;
  ChargeWork(kWorkPerFragment + info_->sources.size() / kSourcesPerStep);
  const AuxRange& range = queues_.ready();
  begun_ = true;
  at_ = range.start;
  if (range.place == nullptr) {
    CountLacking(range.end - range.start);
    return absl::OkStatus();
  }
  decoder_ = DecoderOf(range);
  if (decoder_ == nullptr) {
    Count(Severity::kSkipped, kUnknownUnits, range.end - range.start);
    return absl::OkStatus();
  }
  decoder_->Reset();
  // A trace of all threads names them, or they are not known.
  const int32_t tid = range.tid >= 0 ? range.tid : -1;
  code_.set_default_thread(tid);
  const AuxData& data = range.place->data;
  const auto origin = data.At(data.NextFrom(at_, range.end), range.end);
  samples_.Begin({origin.block, origin.offset, range.time, tid});
  return absl::OkStatus();
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

// Decodes a frame of trace, or as many bytes of a trace that is not in frames.
void EtmTracker::DecodeSome() {
  const AuxRange& range = queues_.ready();
  elements_.clear();
  next_ = 0;
  if (piece_.bytes.empty()) piece_ = range.place->data.At(at_, range.end);
  if (piece_.bytes.empty()) return SkipGap();
  auto bytes = piece_.bytes.subspan(0, EtmDecoder::kFrameSize);
  piece_.bytes.remove_prefix(bytes.size());
  at_ += bytes.size();
  if (!range.raw && bytes.size() < EtmDecoder::kFrameSize) {
    std::copy(bytes.begin(), bytes.end(), frame_.begin());
    bytes = JoinFrame(bytes.size());
  }
  decoder_->Decode(bytes, &elements_);
  // A step of work is at most a twentieth of a microsecond, as there may be
  // many ranges of many instructions: OpenCSD looks at each.
  constexpr uint64_t kInstructionsPerStep = 2;
  uint64_t work = decoder_->TakeWork() + elements_.size();
  for (const EtmElement& element : elements_) {
    work += element.instructions / kInstructionsPerStep;
  }
  ChargeWork(work);
}

// Goes on after bytes that are missing at at_, with a whole frame.
void EtmTracker::SkipGap() {
  const AuxRange& range = queues_.ready();
  uint64_t next = range.place->data.NextFrom(at_, range.end);
  if (const uint64_t part = (next - range.start) % EtmDecoder::kFrameSize;
      !range.raw && part > 0) {
    next += std::min(EtmDecoder::kFrameSize - part, range.end - next);
  }
  CountLacking(next - at_);
  at_ = next;
  decoder_->Reset();
  ChargeWork(kWorkPerFragment);
}

// Completes frame_, which has `size` bytes, from the pieces that follow at at_.
// Returns as much of it as there is.
absl::Span<const uint8_t> EtmTracker::JoinFrame(size_t size) {
  constexpr uint64_t kWorkPerPiece = 4;
  const AuxRange& range = queues_.ready();
  const AuxData& data = range.place->data;
  while (size < frame_.size()) {
    ChargeWork(kWorkPerPiece);
    piece_ = data.At(at_, range.end);
    const auto bytes = piece_.bytes.subspan(0, frame_.size() - size);
    if (bytes.empty()) break;
    std::copy(bytes.begin(), bytes.end(), frame_.data() + size);
    piece_.bytes.remove_prefix(bytes.size());
    size += bytes.size();
    at_ += bytes.size();
  }
  return absl::MakeConstSpan(frame_).subspan(0, size);
}

void EtmTracker::ChargeWork(uint64_t steps) {
  // The budget is to be checked after 64 Ki steps.
  constexpr uint64_t kBytesPerStep = 16;
  deps_.samples.work.Add(steps);
  deps_.samples.counts.CountTowardCheck(kBytesPerStep * steps);
}

// Adds elements up to the next check of the budget.
absl::Status EtmTracker::AddElements() {
  for (; next_ < elements_.size(); ++next_) {
    if (deps_.samples.counts.is_check_due()) break;
    const EtmElement& element = elements_[next_];
    if (element.kind == EtmElement::Kind::kNoCode) ++unknown_code_;
    if (element.kind == EtmElement::Kind::kOverflow) ++overflows_;
    RETURN_IF_ERROR(samples_.OnElement(element));
  }
  return absl::OkStatus();
}

absl::Status EtmTracker::EndFragment() {
  absl::Status status;
  if (decoder_ != nullptr) {
    status = samples_.End();
    CountFaults();
  }
  ForgetFragment();
  return status;
}

void EtmTracker::CountFaults() {
  Count(Severity::kDamage, "bytes of CoreSight trace that are no packet",
        decoder_->TakeBadBytes());
  Count(Severity::kDamage,
        "bytes of CoreSight trace without a synchronization packet",
        decoder_->TakeUnsynchronizedBytes());
  Count(Severity::kSkipped, kUnknownUnits, decoder_->TakeUnknownBytes());
  Count(Severity::kSkipped,
        "bytes of CoreSight trace that do not say at which address, so that "
        "what ran is not known",
        decoder_->TakeLostBytes());
  Count(Severity::kSkipped,
        "place in a CoreSight trace whose code was not found, so that what "
        "ran from there on is not known",
        unknown_code_);
  Count(Severity::kSkipped, "overflow of a CoreSight trace unit's buffer",
        overflows_);
}

// Skips what is left of the fragment, as the budget is exhausted.
void EtmTracker::SkipFragment() {
  const AuxRange& range = queues_.ready();
  const uint64_t left = range.end - (begun_ ? at_ : range.start);
  deps_.samples.counts.CountTowardCheck(8);
  deps_.samples.counts.SkipForBudget(kRecordSample, range.offset, left);
  if (begun_ && decoder_ != nullptr) {
    samples_.Abandon();
    CountFaults();
  }
  ForgetFragment();
}

// Removes the fragment, and the data and the state that only it needs.
void EtmTracker::ForgetFragment() {
  queues_.RemoveReady();
  if (!deps_.samples.counts.skips_all()) CountRepeatedAndUnnamed();
  if (begun_ && decoder_ != nullptr) {
    decoder_->Reset();
    ChargeWork(decoder_->TakeWork());
  }
  decoder_ = nullptr;
  begun_ = false;
  elements_.clear();
  next_ = 0;
  unknown_code_ = overflows_ = 0;
  piece_ = AuxData::Piece();
}

void EtmTracker::Count(Severity severity, const char* what, uint64_t count) {
  if (count == 0) return;
  deps_.diagnostics.Add(severity, what, queues_.ready().offset, 0, count);
}

// A snapshot has only the end of what was traced.
void EtmTracker::CountLacking(uint64_t bytes) {
  if (info_->snapshot) return;
  Count(Severity::kDamage, "bytes of AUX data that the recording lacks", bytes);
}

uint64_t EtmTracker::memory() const {
  constexpr uint64_t kOfDecoder = 64 << 10;
  return queues_.memory() + decoders_.size() * kOfDecoder + code_.memory() +
         samples_.memory();
}

}  // namespace perf2x
