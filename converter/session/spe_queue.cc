// SPDX-License-Identifier: Apache-2.0
#include "converter/session/spe_queue.h"

#include <utility>

#include "converter/session/recording_time.h"

namespace perf2x {

void SpeQueue::Add(absl::Span<const uint8_t> trace, BlockRef block,
                   uint64_t offset, uint64_t place) {
  if (trace.empty()) return;
  buffers_.push_back({trace, std::move(block), offset, place});
}

bool SpeQueue::Advance() {
  has_record_ = false;
  for (; first_ < buffers_.size(); EndBuffer()) {
    if (!begun_) BeginBuffer();
    while (decoder_->Next(&record_)) {
      if (!record_.has_pc) {
        ++without_pc_;
        continue;
      }
      has_record_ = true;
      if (record_.timestamp.has_value() && conversion_ != nullptr) {
        time_ = ToRecordingTime(*conversion_, *record_.timestamp);
      }
      if (record_.context.has_value()) {
        has_context_ = true;
        tid_ = static_cast<int32_t>(*record_.context);
      }
      return true;
    }
  }
  return false;
}

void SpeQueue::BeginBuffer() {
  constexpr uint64_t kMaxPadding = 7;
  const Buffer& buffer = buffers_[first_];
  begun_ = true;
  const bool continues = decoder_.has_value() && buffer.place <= last_end_ &&
                         last_end_ - buffer.place <= kMaxPadding;
  if (continues) return decoder_->Continue(buffer.trace);
  CountUnfinished();
  decoder_.emplace(buffer.trace);
}

void SpeQueue::EndBuffer() {
  Buffer& buffer = buffers_[first_++];
  if (decoder_->bad_bytes() > 0) {
    diagnostics_->Add(Diagnostics::Severity::kDamage,
                      "bytes of Arm SPE trace that are no packet",
                      buffer.offset + decoder_->first_bad(), 0,
                      decoder_->bad_bytes());
  }
  if (without_pc_ > 0) {
    diagnostics_->Add(Diagnostics::Severity::kDamage,
                      "Arm SPE record without an address", buffer.offset, 0,
                      std::exchange(without_pc_, 0));
  }
  begun_ = false;
  last_offset_ = buffer.offset;
  last_end_ = buffer.place + buffer.trace.size();
  buffer.block = BlockRef();
  if (first_ == buffers_.size()) {
    buffers_.clear();
    first_ = 0;
  }
}

void SpeQueue::CountUnfinished() {
  if (!decoder_.has_value() || decoder_->unfinished_bytes() == 0) return;
  diagnostics_->Add(Diagnostics::Severity::kDamage,
                    "bytes of an Arm SPE record without an end", last_offset_,
                    0, decoder_->unfinished_bytes());
}

}  // namespace perf2x
