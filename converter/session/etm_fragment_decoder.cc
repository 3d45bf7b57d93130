// SPDX-License-Identifier: Apache-2.0
#include "converter/session/etm_fragment_decoder.h"

#include <algorithm>

#include "converter/session/aux_diagnostics.h"

namespace perf2x {

void EtmFragmentDecoder::Begin(const AuxRange& range, EtmDecoder& decoder) {
  range_ = &range;
  decoder_ = &decoder;
  at_ = range.start;
  decoder.Reset();
}

uint64_t EtmFragmentDecoder::Decode() {
  elements_.clear();
  next_ = 0;
  if (piece_.bytes.empty()) piece_ = range_->place->data.At(at_, range_->end);
  if (piece_.bytes.empty()) return SkipGap();
  auto bytes = piece_.bytes.subspan(0, EtmDecoder::kFrameSize);
  piece_.bytes.remove_prefix(bytes.size());
  at_ += bytes.size();
  if (!range_->raw && bytes.size() < EtmDecoder::kFrameSize) {
    std::copy(bytes.begin(), bytes.end(), frame_.begin());
    bytes = JoinFrame(bytes.size());
  }
  decoder_->Decode(bytes, &elements_);
  // A step of work is at most a twentieth of a microsecond, as there may be
  // many ranges of many instructions: OpenCSD looks at each.
  constexpr uint64_t kInstructionsPerStep = 2;
  work_ += decoder_->TakeWork() + elements_.size();
  for (const EtmElement& element : elements_) {
    work_ += element.instructions / kInstructionsPerStep;
  }
  return 0;
}

// Goes on after bytes that are missing at at_, with a whole frame. Returns the
// number of bytes skipped.
uint64_t EtmFragmentDecoder::SkipGap() {
  uint64_t next = range_->place->data.NextFrom(at_, range_->end);
  if (const uint64_t part = (next - range_->start) % EtmDecoder::kFrameSize;
      !range_->raw && part > 0) {
    next += std::min(EtmDecoder::kFrameSize - part, range_->end - next);
  }
  decoder_->Reset();
  work_ += kWorkPerReset;
  return next - std::exchange(at_, next);
}

// Completes frame_, which has `size` bytes, from the pieces that follow at at_.
// Returns as much of it as there is.
absl::Span<const uint8_t> EtmFragmentDecoder::JoinFrame(size_t size) {
  constexpr uint64_t kWorkPerPiece = 4;
  const AuxData& data = range_->place->data;
  while (size < frame_.size()) {
    work_ += kWorkPerPiece;
    piece_ = data.At(at_, range_->end);
    const auto bytes = piece_.bytes.subspan(0, frame_.size() - size);
    if (bytes.empty()) break;
    std::copy(bytes.begin(), bytes.end(), frame_.data() + size);
    piece_.bytes.remove_prefix(bytes.size());
    size += bytes.size();
    at_ += bytes.size();
  }
  return absl::MakeConstSpan(frame_).subspan(0, size);
}

void EtmFragmentDecoder::CountFaults(Diagnostics& diagnostics) {
  using Severity = Diagnostics::Severity;
  const auto count = [&](Severity severity, const char* what, uint64_t n) {
    if (n > 0) diagnostics.Add(severity, what, range_->offset, 0, n);
  };
  count(Severity::kDamage, "bytes of CoreSight trace that are no packet",
        decoder_->TakeBadBytes());
  count(Severity::kDamage,
        "bytes of CoreSight trace without a synchronization packet",
        decoder_->TakeUnsynchronizedBytes());
  count(Severity::kSkipped, kUnknownUnits, decoder_->TakeUnknownBytes());
  count(Severity::kSkipped,
        "bytes of CoreSight trace that do not say at which address, so that "
        "what ran is not known",
        decoder_->TakeLostBytes());
  count(Severity::kSkipped, kMissingCoreSightCode, unknown_code_);
  count(Severity::kSkipped, "overflow of a CoreSight trace unit's buffer",
        overflows_);
}

void EtmFragmentDecoder::End() {
  decoder_->Reset();
  work_ += decoder_->TakeWork();
  range_ = nullptr;
  decoder_ = nullptr;
  piece_ = AuxData::Piece();
  elements_.clear();
  next_ = 0;
  unknown_code_ = overflows_ = 0;
}

}  // namespace perf2x
