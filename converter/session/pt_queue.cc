// SPDX-License-Identifier: Apache-2.0
#include "converter/session/pt_queue.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "converter/perf/stream/joined_block.h"
#include "converter/session/pt_overlap.h"
#include "converter/session/recording_time.h"

namespace perf2x {
namespace {

// The longest tail that the next buffer may continue. Processors write a PSB
// packet every 2 KiB to 64 KiB, as they are told.
constexpr size_t kMaxTail = 128 << 10;
constexpr size_t kPsbHeader = PtDecoder::kMaxPsbHeader;

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
  constexpr uint64_t kBytesAStep = 64;
  Chunk buffer{trace, std::move(block), offset, aux_offset};
  if (recording_.snapshots && !trace.empty()) {
    work_ += (snapshot_.bytes.size() + trace.size()) / kBytesAStep;
    const PtOverlap same = FindPtOverlap(snapshot_.bytes, trace);
    if (same.repeated > 0) {
      buffer.place = snapshot_.place + snapshot_.bytes.size() - same.padding -
                     same.repeated;
    }
    snapshot_ = buffer;
    buffer.bytes.remove_prefix(same.repeated);
    buffer.offset += same.repeated;
    buffer.place += same.repeated;
  }
  if (buffer.bytes.empty()) return;
  received_bytes_ += buffer.bytes.size();
  buffers_.push_back(std::move(buffer));
}

bool PtQueue::SetCode(const ProcessMaps& maps) {
  const bool is_new = !(maps == maps_);
  maps_ = maps;
  SelectCode();
  if (is_new && decoder_.has_value() && known_steps_ == 0) NoteCode();
  return is_new;
}

// A step that comes again ran the code that was mapped when it first came.
void PtQueue::SelectCode() {
  const uint64_t step = tail_steps_ - known_steps_;
  if (known_steps_ > 0) {
    while (next_change_ < tail_changes_.size() &&
           tail_changes_[next_change_].step <= step) {
      ++next_change_;
    }
  }
  code_.Select(known_steps_ > 0 && next_change_ > 0
                   ? tail_changes_[next_change_ - 1].maps
                   : maps_);
}

void PtQueue::NoteCode() {
  constexpr size_t kMaxChanges = 512;
  const uint64_t step = decoder_->steps();
  if (!changes_.empty() && changes_.back().maps == maps_) return;
  if (!changes_.empty() && changes_.back().step == step) {
    changes_.back().maps = maps_;
    return;
  }
  changes_.push_back({step, maps_});
  if (changes_.size() <= kMaxChanges) return;
  // All before the last PSB packet are over.
  const auto first = std::partition_point(
      changes_.begin() + 1, changes_.end(),
      [psb = decoder_->steps_at_last_psb()](const CodeChange& change) {
        return change.step <= psb;
      });
  changes_.erase(changes_.begin(), std::max(first - 1, changes_.begin() + 1));
}

bool PtQueue::Next(PtStep* step) {
  if (!decoder_.has_value() && !Begin()) return false;
  if (known_steps_ > 0 && next_change_ < tail_changes_.size() &&
      tail_changes_[next_change_].step <= tail_steps_ - known_steps_) {
    SelectCode();
  }
  const bool has_step = decoder_->Next(step);
  work_ += decoder_->TakeWork();
  if (!has_step) {
    End();
    return true;  // nothing happened; the caller may check the budget
  }
  if (step->kind == PtStep::Kind::kBegin) {
    if (std::exchange(continues_, false)) *step = PtStep();
  } else if (known_steps_ > 0) {
    *step = PtStep();
    if (--known_steps_ == 0) {
      SelectCode();
      NoteCode();
    }
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
  constexpr uint64_t kChangesAStep = 16;
  if (first_ == buffers_.size()) return false;
  const Chunk& buffer = buffers_[first_];
  // What is left of a buffer whose begin was joined to the tail.
  const bool is_rest =
      std::exchange(is_joined_, false) && chunk_.stop != PtDecoder::kNowhere;
  continues_ = std::exchange(reached_next_, false);
  const bool selects = std::exchange(known_steps_, 0) > 0;
  if (!Join(buffer)) {
    chunk_ = buffer;
    joined_bytes_ = 0;
    if (!is_rest) CountSkipped(buffer);
  }
  tail_ = Chunk();
  work_ += kWork;
  decoder_.emplace(chunk_.bytes, recording_.settings, code_, chunk_.stop);
  next_change_ = 0;
  changes_.clear();
  if (known_steps_ > 0) {
    changes_ = tail_changes_;
    work_ += changes_.size() / kChangesAStep;
  } else {
    NoteCode();
  }
  if (selects || known_steps_ > 0) SelectCode();
  return true;
}

// Returns true if the buffer continues the tail. Then cuts off the tail's
// padding.
bool PtQueue::Continues(const Chunk& buffer) {
  const uint64_t end = tail_.place + tail_.bytes.size();
  if (tail_.bytes.empty() || buffer.place > end ||
      end - buffer.place > std::min(kMaxPtPadding, tail_.bytes.size())) {
    return false;
  }
  const auto padding = static_cast<size_t>(end - buffer.place);
  const size_t size = tail_.bytes.size() - padding;
  for (const uint8_t byte : tail_.bytes.subspan(size)) {
    if (byte != 0) return false;
  }
  tail_.bytes.remove_suffix(padding);
  if (tail_in_flow_ || buffer.bytes.size() < PtDecoder::kPsbSize) return true;
  // Nothing was followed up to the buffer: a PSB packet must begin in the tail.
  const BlockRef around =
      JoinedBlock(tail_.bytes.last(std::min(size, kPsbHeader)),
                  buffer.bytes.subspan(0, PtDecoder::kPsbSize - 1));
  return PtDecoder::FindPsb(around->bytes(), 0) != PtDecoder::kNowhere;
}

// Makes chunk_ of the tail and of the buffer up to its first PSB packet, if it
// has one. Returns false if the buffer does not continue the tail.
bool PtQueue::Join(const Chunk& buffer) {
  constexpr uint64_t kBytesAStep = 16;
  if (!Continues(buffer)) return false;
  const size_t first = FindWholePsb(buffer.bytes);
  const bool stops = first != PtDecoder::kNowhere;
  const size_t head = std::min(stops ? first + kPsbHeader : buffer.bytes.size(),
                               buffer.bytes.size());
  if (tail_in_flow_) {
    if (const char* const why = WhyNotAgain(head); why != nullptr) {
      CountEnd(why);
      return false;
    }
    decoded_again_ += tail_.bytes.size();
  } else if (head > kMaxTail) {
    return false;
  }
  is_joined_ = true;
  continues_ = tail_in_flow_;
  known_steps_ = tail_steps_;
  seam_ = tail_.bytes.size();
  chunk_ = tail_;
  chunk_.block = JoinedBlock(tail_.bytes, buffer.bytes.subspan(0, head));
  chunk_.bytes = chunk_.block->bytes();
  if (stops) chunk_.stop = seam_ + first;
  joined_bytes_ = chunk_.bytes.size();
  if (!tail_in_flow_ &&
      PtDecoder::FindPsb(chunk_.bytes, 0) == PtDecoder::kNowhere) {
    CountSkipped(buffer);
  }
  work_ += joined_bytes_ / kBytesAStep;
  return true;
}

// Returns why the tail, in whose flow the trace ended, is not decoded again to
// be followed on; null: it may be. `head` is the size of what continues it.
const char* PtQueue::WhyNotAgain(size_t head) const {
  // Buffers without a PSB packet have what came before decoded again, each of
  // them. The budget pays for little more than the trace.
  constexpr uint64_t kTimes = 1, kAlways = 256 << 10;
  if (std::max(head, tail_.bytes.size()) > kMaxTail) return "it is too long";
  if (tail_changes_.empty() || tail_changes_.front().step > 0) {
    return "too many mappings of code were new meanwhile";
  }
  return decoded_again_ > received_bytes_ * kTimes + kAlways
             ? "it comes in too many buffers"
             : nullptr;
}

void PtQueue::CountEnd(const char* why) {
  diagnostics_.Add(Diagnostics::Severity::kNote,
                   absl::StrCat("stretch of Intel PT trace without a PSB "
                                "packet that is not followed to its end: ",
                                why),
                   tail_.offset);
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
  const PtDecoder::Tail tail = decoder_->tail();
  const uint64_t begin = decoder_->steps() - tail.steps;
  reached_next_ = decoder_->stopped();
  decoder_.reset();
  if (chunk_.stop != PtDecoder::kNowhere) return;  // its buffer comes next
  tail_changes_.clear();
  for (const auto& [step, maps] : changes_) {
    if (step <= begin) tail_changes_.clear();
    tail_changes_.push_back({step - std::min(step, begin), maps});
  }
  const uint64_t offset = is_joined_ && tail.from >= seam_
                              ? buffers_[first_].offset + (tail.from - seam_)
                              : chunk_.offset + tail.from;
  tail_ = {chunk_.bytes.subspan(tail.from), chunk_.block, offset,
           chunk_.place + tail.from};
  tail_steps_ = tail.steps;
  tail_in_flow_ = tail.in_flow;
  buffers_[first_++].block = BlockRef();
  if (first_ == buffers_.size()) {
    buffers_.clear();
    first_ = 0;
  }
}

uint64_t PtQueue::Drop() {
  uint64_t bytes = 0;
  for (size_t i = first_; i < buffers_.size(); ++i) {
    bytes += buffers_[i].bytes.size();
  }
  if (decoder_.has_value()) {
    const uint64_t before = is_joined_ ? seam_ : 0;
    bytes -= std::min(bytes,
                      std::max<uint64_t>(decoder_->offset(), before) - before);
  }
  buffers_.clear();
  first_ = 0;
  decoder_.reset();
  chunk_ = tail_ = snapshot_ = Chunk();
  is_joined_ = reached_next_ = false;
  joined_bytes_ = 0;
  return bytes;
}

}  // namespace perf2x
