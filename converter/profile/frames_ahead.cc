#include "converter/profile/frames_ahead.h"

#include <algorithm>

namespace perf2x {
namespace {

// What is handed over should still be in the cache.
constexpr size_t kFramesInBatch = 1 << 11;

// Many stacks take so much memory that some more does not matter, and keep two
// threads from waiting for each other.
size_t BatchesFor(size_t stacks) {
  return std::clamp<size_t>(stacks >> 14, 4, 16);
}

}  // namespace

FramesAhead::FramesAhead(ProfileTables& tables, size_t count, bool ahead,
                         const std::vector<bool>* wanted)
    : tables_(tables),
      count_(count),
      wanted_(wanted),
      queue_(BatchesFor(count)) {
  if (!ahead) return;
  thread_ = std::thread([this] {
    for (Batch* batch; (batch = queue_.Place()) != nullptr && Fill(batch);) {
      queue_.Push();
    }
    queue_.Finish();
  });
}

FramesAhead::~FramesAhead() {
  queue_.Close();
  if (thread_.joinable()) thread_.join();
}

bool FramesAhead::Fill(Batch* batch) {
  batch->places.clear();
  batch->places.reserve(kFramesInBatch + kFramesInBatch / 4);
  batch->ends.clear();
  for (; next_ < count_ && batch->places.size() < kFramesInBatch; ++next_) {
    if (wanted_ != nullptr && !(*wanted_)[next_]) continue;
    tables_.AppendPlaces(next_, &batch->places);
    batch->ends.push_back(static_cast<uint32_t>(batch->places.size()));
  }
  return !batch->ends.empty();
}

absl::Span<const FrameId> FramesAhead::Next() {
  if (batch_is_used()) {
    FetchBatch();
    tables_.InternFrames(batch_->places, &frames_);
  }
  const Range range = NextRange();
  return absl::MakeConstSpan(frames_).subspan(range.begin, range.size);
}

absl::Span<const FramePlace> FramesAhead::NextPlaces() {
  if (batch_is_used()) FetchBatch();
  const Range range = NextRange();
  return absl::MakeConstSpan(batch_->places).subspan(range.begin, range.size);
}

void FramesAhead::FetchBatch() {
  at_ = 0;
  if (thread_.joinable()) {
    if (batch_ != nullptr) queue_.Pop();
    batch_ = queue_.Front();
  } else {
    batch_ = &own_;
    Fill(batch_);
  }
}

FramesAhead::Range FramesAhead::NextRange() {
  const size_t begin = at_ == 0 ? 0 : batch_->ends[at_ - 1];
  return {begin, batch_->ends[at_++] - begin};
}

}  // namespace perf2x
