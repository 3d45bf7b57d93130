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

FramesAhead::FramesAhead(ProfileTables& tables, size_t count, bool ahead)
    : tables_(tables), count_(count), queue_(BatchesFor(count)) {
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
  while (next_ < count_ && batch->places.size() < kFramesInBatch) {
    tables_.AppendPlaces(next_++, &batch->places);
    batch->ends.push_back(static_cast<uint32_t>(batch->places.size()));
  }
  return !batch->ends.empty();
}

absl::Span<const FrameId> FramesAhead::Next() {
  if (batch_ == nullptr || at_ == batch_->ends.size()) {
    at_ = 0;
    if (thread_.joinable()) {
      if (batch_ != nullptr) queue_.Pop();
      batch_ = queue_.Front();
    } else {
      batch_ = &own_;
      Fill(batch_);
    }
    tables_.InternFrames(batch_->places, &frames_);
  }
  const uint32_t begin = at_ == 0 ? 0 : batch_->ends[at_ - 1];
  const uint32_t end = batch_->ends[at_++];
  return absl::MakeConstSpan(frames_).subspan(begin, end - begin);
}

}  // namespace perf2x
