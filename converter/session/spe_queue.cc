// SPDX-License-Identifier: Apache-2.0
#include "converter/session/spe_queue.h"

#include <utility>

#include "converter/session/recording_time.h"

namespace perf2x {

void SpeQueue::Add(absl::Span<const uint8_t> trace, BlockRef block,
                   uint64_t offset) {
  if (trace.empty()) return;
  buffers_.push_back({trace, std::move(block), offset});
}

bool SpeQueue::Advance() {
  has_record_ = false;
  for (; first_ < buffers_.size(); EndBuffer()) {
    if (!decoder_.has_value()) decoder_.emplace(buffers_[first_].trace);
    if (!decoder_->Next(&record_)) continue;
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
  return false;
}

void SpeQueue::EndBuffer() {
  if (decoder_->bad_bytes() > 0) {
    diagnostics_->Add(Diagnostics::Severity::kDamage,
                      "bytes of Arm SPE trace that are no packet",
                      buffers_[first_].offset + decoder_->first_bad(), 0,
                      decoder_->bad_bytes());
  }
  decoder_.reset();
  buffers_[first_++].block = BlockRef();
  if (first_ == buffers_.size()) {
    buffers_.clear();
    first_ = 0;
  }
}

}  // namespace perf2x
