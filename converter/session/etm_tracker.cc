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
  const std::pair<int32_t, int32_t> place(trace.cpu,
                                          trace.cpu < 0 ? trace.tid : -1);
  data_[place].Add(trace.offset, {record.payload, *record.block,
                                  record.offset + 8 + record.body.size()});
  ++pieces_;
  WakeWaiting();
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
  has_fragments_ = true;
  if (aux.aux_size == 0 || aux.aux_size > ~aux.aux_offset) return;
  const SampleId id = attrs.TrailerOf(record);
  Fragment fragment;
  fragment.cpu = static_cast<int32_t>(id.cpu);
  fragment.tid = id.tid;
  fragment.start = aux.aux_offset;
  if (info_->snapshot && aux.aux_offset >= aux.aux_size) {
    fragment.start -= aux.aux_size;
  }
  fragment.end = fragment.start + aux.aux_size;
  fragment.time = time;
  fragment.offset = record.offset;
  fragment.raw = (aux.flags & kRawFormat) != 0;
  waiting_.push_back(fragment);
  WakeWaiting();
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

// Returns the data that a fragment is of; null if there is none yet. Sets
// `*cpu` to the CPU that it was traced on; -1: not known.
AuxData* EtmTracker::DataOf(const Fragment& fragment, int32_t* cpu) {
  *cpu = fragment.cpu;
  auto it = data_.find({fragment.cpu, -1});
  if (fragment.cpu < 0 || it == data_.end()) {
    it = data_.find({-1, fragment.tid});
  }
  // The records of one event may lack CPU and thread.
  if (it == data_.end() && data_.size() == 1) it = data_.begin();
  if (it == data_.end()) return nullptr;
  if (*cpu < 0) *cpu = it->first.first;
  return &it->second;
}

// Makes fragments ready, in their order, up to the first without data.
void EtmTracker::WakeWaiting() {
  while (!waiting_.empty()) {
    const Fragment& first = waiting_.front();
    int32_t cpu = -1;
    const AuxData* const data = DataOf(first, &cpu);
    if (data == nullptr || data->At(first.start, first.end).bytes.empty()) {
      return;
    }
    ready_.push_back(first);
    waiting_.pop_front();
  }
}

void EtmTracker::EndRecords() {
  if (!has_trace()) return;
  if (!has_fragments_) {
    for (const auto& [place, data] : data_) {
      data.ForEachPiece([&, place = place](uint64_t start, uint64_t end) {
        Fragment whole;
        whole.cpu = place.first;
        whole.tid = place.second;
        whole.start = start;
        whole.end = end;
        waiting_.push_back(whole);
      });
    }
  }
  for (const Fragment& fragment : waiting_) ready_.push_back(fragment);
  waiting_.clear();
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
    } else if (decoder_ != nullptr && at_ < ready_.front().end) {
      DecodeSome();
    } else {
      return EndFragment();
    }
  }
  return absl::OkStatus();
}

absl::Status EtmTracker::BeginFragment() {
  // Decoders are reset and look at all of their state. The sources are
  // searched, and what is known of their CPUs is set.
  constexpr uint64_t kWorkPerFragment = 512, kSourcesPerStep = 4;
  ChargeWork(kWorkPerFragment + info_->sources.size() / kSourcesPerStep);
  const Fragment& fragment = ready_.front();
  begun_ = true;
  at_ = fragment.start;
  int32_t cpu = -1;
  AuxData* const data = DataOf(fragment, &cpu);
  decoder_ = data == nullptr ? nullptr : DecoderOf(fragment, cpu);
  if (decoder_ == nullptr) {
    Count(data == nullptr ? Severity::kDamage : Severity::kSkipped,
          data == nullptr ? "bytes of AUX data that the recording lacks"
                          : "bytes of CoreSight trace of unknown trace units",
          fragment.end - fragment.start);
    return absl::OkStatus();
  }
  decoder_->Reset();
  piece_ = data->At(at_, fragment.end);
  // A trace of all threads names them, or they are not known.
  const int32_t tid = fragment.tid >= 0 ? fragment.tid : -1;
  code_.set_default_thread(tid);
  samples_.Begin({piece_.block, piece_.offset, fragment.time, tid});
  return absl::OkStatus();
}

EtmDecoder* EtmTracker::DecoderOf(const Fragment& fragment, int32_t cpu) {
  const EtmSource* const source = info_->SourceOf(cpu);
  if (fragment.raw && source == nullptr) return nullptr;
  const uint32_t sink = source == nullptr ? 0 : source->sink;
  const DecoderKey key(fragment.raw,
                       fragment.raw ? static_cast<uint32_t>(cpu) : sink);
  const auto [it, is_new] = decoders_.try_emplace(key);
  if (!is_new) return it->second.get();
  // OpenCSD makes a dozen objects for a source, twice, and keeps a few bytes of
  // them for good.
  constexpr uint64_t kWorkPerSource = 512;
  std::vector<EtmSource> sources;
  for (const EtmSource& each : info_->sources) {
    if (fragment.raw ? &each == source : each.sink == sink) {
      sources.push_back(each);
      // There is no other source that it could be confused with.
      if (fragment.raw && each.trace_id == 0) sources.back().trace_id = 1;
      const bool converts = each.timer_time && conversion_.has_value();
      samples_.SetConversion(each.cpu, converts ? &*conversion_ : nullptr);
    }
  }
  ChargeWork(kWorkPerSource * sources.size());
  it->second = EtmDecoder::Make(sources, !fragment.raw, &code_);
  return it->second.get();
}

// Decodes a frame of trace, or as many bytes of a trace that is not in frames.
void EtmTracker::DecodeSome() {
  const Fragment& fragment = ready_.front();
  elements_.clear();
  next_ = 0;
  if (piece_.bytes.empty()) {
    int32_t cpu = -1;
    piece_ = DataOf(fragment, &cpu)->At(at_, fragment.end);
  }
  if (piece_.bytes.empty()) {
    Count(Severity::kDamage, "bytes of AUX data that the recording lacks",
          fragment.end - at_);
    at_ = fragment.end;
    return;
  }
  auto bytes = piece_.bytes.subspan(0, EtmDecoder::kFrameSize);
  piece_.bytes.remove_prefix(bytes.size());
  at_ += bytes.size();
  if (!fragment.raw && bytes.size() < EtmDecoder::kFrameSize) {
    std::copy(bytes.begin(), bytes.end(), frame_.begin());
    bytes = JoinFrame(bytes.size());
  }
  decoder_->Decode(bytes, &elements_);
  // A step of work is at most a twentieth of a microsecond, as there may be
  // many ranges of many instructions: OpenCSD looks at each.
  constexpr uint64_t kInstructionsPerStep = 4;
  uint64_t work = decoder_->TakeWork() + elements_.size();
  for (const EtmElement& element : elements_) {
    work += element.instructions / kInstructionsPerStep;
  }
  ChargeWork(work);
}

// Completes frame_, which has `size` bytes, from the pieces that follow at at_.
// Returns as much of it as there is.
absl::Span<const uint8_t> EtmTracker::JoinFrame(size_t size) {
  constexpr uint64_t kWorkPerPiece = 4;
  const Fragment& fragment = ready_.front();
  int32_t cpu = -1;
  const AuxData& data = *DataOf(fragment, &cpu);
  while (size < frame_.size()) {
    ChargeWork(kWorkPerPiece);
    piece_ = data.At(at_, fragment.end);
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
    RETURN_IF_ERROR(samples_.Add(element));
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
  Fragment& fragment = ready_.front();
  const uint64_t left = fragment.end - (begun_ ? at_ : fragment.start);
  deps_.samples.counts.CountTowardCheck(8);
  deps_.samples.counts.SkipForBudget(kRecordSample, fragment.offset, left);
  if (begun_ && decoder_ != nullptr) {
    samples_.Abandon();
    CountFaults();
  }
  ForgetFragment();
}

// Removes the fragment, and the data and the state that only it needs.
void EtmTracker::ForgetFragment() {
  int32_t cpu = -1;
  AuxData* const data = DataOf(ready_.front(), &cpu);
  if (data != nullptr) data->DropBefore(ready_.front().end);
  if (begun_ && decoder_ != nullptr) {
    decoder_->Reset();
    ChargeWork(decoder_->TakeWork());
  }
  decoder_ = nullptr;
  begun_ = false;
  ready_.pop_front();
  elements_.clear();
  next_ = 0;
  unknown_code_ = overflows_ = 0;
  piece_ = AuxData::Piece();
}

void EtmTracker::Count(Severity severity, const char* what, uint64_t count) {
  if (count == 0) return;
  deps_.diagnostics.Add(severity, what, ready_.front().offset, 0, count);
}

uint64_t EtmTracker::memory() const {
  constexpr uint64_t kOfPiece = 128, kOfDecoder = 64 << 10;
  return pieces_ * kOfPiece +
         (ready_.size() + waiting_.size()) * sizeof(Fragment) +
         decoders_.size() * kOfDecoder + code_.memory() + samples_.memory();
}

}  // namespace perf2x
