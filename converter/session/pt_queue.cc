// SPDX-License-Identifier: Apache-2.0
#include "converter/session/pt_queue.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "converter/perf/stream/joined_block.h"
#include "converter/session/recording_time.h"

namespace perf2x {
namespace {

// The longest tail that the next buffer may continue. Processors write a PSB
// packet every 2 KiB to 64 KiB, as they are told.
constexpr size_t kMaxTail = 128 << 10;
// After a PSB packet: the packets that belong to it, and more.
constexpr size_t kPsbHeader = 512;

// Returns the offset of the first PSB packet; kNowhere if there is none, or if
// the trace ends before the PSBEND packet that belongs to it.
size_t FindWholePsb(absl::Span<const uint8_t> trace) {
  constexpr uint8_t kPsbEnd[] = {0x02, 0x23};
  const size_t first = PtDecoder::FindPsb(trace, 0);
  if (first == PtDecoder::kNowhere) return first;
  const absl::Span<const uint8_t> header = trace.subspan(first, kPsbHeader);
  const auto end = std::search(header.begin(), header.end(),
                               std::begin(kPsbEnd), std::end(kPsbEnd));
  return end == header.end() ? PtDecoder::kNowhere : first;
}

}  // namespace

void PtQueue::Add(absl::Span<const uint8_t> trace, BlockRef block,
                  uint64_t offset, uint64_t aux_offset) {
  if (trace.empty()) return;
  buffers_.push_back({trace, std::move(block), offset, aux_offset});
}

bool PtQueue::Next(PtStep* step) {
  if (!decoder_.has_value() && !Begin()) return false;
  const bool has_step = decoder_->Next(step);
  work_ += decoder_->TakeWork();
  if (!has_step) {
    End();
    return true;  // nothing happened; the caller may check the budget
  }
  if (step->kind == PtStep::Kind::kBegin) {
    if (std::exchange(continues_, false)) *step = PtStep();
  } else if (known_steps_ > 0) {
    --known_steps_;
    *step = PtStep();
  }
  const uint64_t tsc = decoder_->tsc().value_or(0);
  if (tsc != tsc_ && recording_.conversion.has_value()) {
    tsc_ = tsc;
    time_ = ToRecordingTime(*recording_.conversion, tsc);
  }
  return true;
}

// Begins with the next chunk: the tail and a part of the buffer after it, if
// that continues it, then the buffer itself. Returns false if there is none.
bool PtQueue::Begin() {
  constexpr uint64_t kWork = 32;  // to make a decoder
  if (first_ == buffers_.size()) return false;
  const Chunk& buffer = buffers_[first_];
  const bool was_joined = std::exchange(is_joined_, false);
  known_steps_ = 0;
  if (!Join(buffer)) {
    chunk_ = buffer;
    joined_bytes_ = 0;
    if (!was_joined) CountSkipped(buffer);
  }
  continues_ = is_joined_ || was_joined;
  tail_ = Chunk();
  work_ += kWork;
  decoder_.emplace(chunk_.bytes, recording_.settings, code_, chunk_.stop);
  return true;
}

// Makes chunk_ of the tail and of the buffer up to its first PSB packet, if it
// has one. Returns false if the buffer does not continue the tail.
bool PtQueue::Join(const Chunk& buffer) {
  constexpr uint64_t kBytesAStep = 16;
  if (tail_.bytes.empty() || tail_.bytes.size() > kMaxTail ||
      tail_.place + tail_.bytes.size() != buffer.place) {
    return false;
  }
  const size_t first = FindWholePsb(buffer.bytes);
  const bool stops = first != PtDecoder::kNowhere;
  const size_t head = std::min(stops ? first + kPsbHeader : buffer.bytes.size(),
                               buffer.bytes.size());
  if (head > kMaxTail) return false;
  is_joined_ = true;
  known_steps_ = tail_steps_;
  chunk_ = tail_;
  chunk_.block = JoinedBlock(tail_.bytes, buffer.bytes.subspan(0, head));
  chunk_.bytes = chunk_.block->bytes();
  if (stops) chunk_.stop = tail_.bytes.size() + first;
  joined_bytes_ = chunk_.bytes.size();
  work_ += joined_bytes_ / kBytesAStep;
  return true;
}

void PtQueue::CountSkipped(const Chunk& buffer) {
  const size_t first =
      std::min(PtDecoder::FindPsb(buffer.bytes, 0), buffer.bytes.size());
  if (first == 0) return;
  diagnostics_.Add(Diagnostics::Severity::kNote,
                   "bytes of Intel PT trace before a PSB packet, where reading "
                   "can begin",
                   buffer.offset, first, first);
}

void PtQueue::End() {
  const auto reached = decoder_->last_reached();
  decoder_.reset();
  if (chunk_.stop != PtDecoder::kNowhere) return;  // its buffer comes next
  size_t from = PtDecoder::FindLastPsb(chunk_.bytes);
  if (from == PtDecoder::kNowhere) from = 0;  // a part of one may be at the end
  if (reached.has_value()) from = reached->psb;
  tail_ = {chunk_.bytes.subspan(from), chunk_.block, chunk_.offset + from,
           chunk_.place + from};
  tail_steps_ = reached.has_value() ? reached->steps : 0;
  buffers_[first_++].block = BlockRef();
  if (first_ == buffers_.size()) {
    buffers_.clear();
    first_ = 0;
  }
}

uint64_t PtQueue::Drop() {
  uint64_t bytes = 0;
  for (; first_ < buffers_.size(); ++first_) {
    bytes += buffers_[first_].bytes.size();
  }
  buffers_.clear();
  first_ = 0;
  decoder_.reset();
  chunk_ = tail_ = Chunk();
  joined_bytes_ = 0;
  return bytes;
}

}  // namespace perf2x
