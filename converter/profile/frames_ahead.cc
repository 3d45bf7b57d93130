#include "converter/profile/frames_ahead.h"

namespace perf2x {
namespace {

constexpr size_t kFramesInBatch = 1 << 14;
constexpr size_t kBatches = 8;

}  // namespace

FramesAhead::FramesAhead(ProfileTables& tables, size_t count, bool ahead)
    : tables_(tables), count_(count), queue_(kBatches) {
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
  batch->frames.clear();
  batch->ends.clear();
  while (next_ < count_ && batch->frames.size() < kFramesInBatch) {
    tables_.FramesOf(next_++, &frames_);
    batch->frames.insert(batch->frames.end(), frames_.begin(), frames_.end());
    batch->ends.push_back(static_cast<uint32_t>(batch->frames.size()));
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
  }
  const uint32_t begin = at_ == 0 ? 0 : batch_->ends[at_ - 1];
  const uint32_t end = batch_->ends[at_++];
  return absl::MakeConstSpan(batch_->frames).subspan(begin, end - begin);
}

}  // namespace perf2x
