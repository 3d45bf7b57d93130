#include "converter/model/frame_prefetcher.h"

#include <algorithm>
#include <utility>

#include "converter/base/thread.h"

namespace perf2x {
namespace {

// Small enough that a batch is still in the cache when the other thread uses
// it.
constexpr size_t kFramesInBatch = 1 << 11;

// Many stacks take so much memory that some more does not matter, and keep two
// threads from waiting for each other.
size_t BatchesFor(size_t stacks) {
  return std::clamp<size_t>(stacks >> 14, 4, 16);
}

}  // namespace

FramePrefetcher::FramePrefetcher(TraceTables& tables, Gives gives, size_t count,
                                 bool on_thread,
                                 std::optional<std::vector<bool>> requested)
    : tables_(tables),
      gives_(gives),
      count_(count),
      queue_(on_thread ? BatchesFor(count) : 0),
      requested_(std::move(requested)) {
  if (!on_thread) return;
  thread_ = StartThread("perf2x-frames", [this] {
    Batch* batch;
    while ((batch = queue_.Place()) != nullptr && Fill(batch)) queue_.Push();
    queue_.Finish();
  });
}

FramePrefetcher::~FramePrefetcher() {
  if (!thread_.joinable()) return;
  queue_.Close();
  thread_.join();
}

bool FramePrefetcher::Fill(Batch* batch) {
  batch->places.clear();
  batch->places.reserve(kFramesInBatch + kFramesInBatch / 4);
  batch->ends.clear();
  for (; next_ < count_ && batch->places.size() < kFramesInBatch; ++next_) {
    if (requested_.has_value() && !(*requested_)[next_]) continue;
    tables_.AppendPlaces(next_, &batch->places);
    batch->ends.push_back(static_cast<uint32_t>(batch->places.size()));
  }
  return !batch->ends.empty();
}

void FramePrefetcher::FetchBatch() {
  at_ = 0;
  if (thread_.joinable()) {
    if (batch_ != nullptr) queue_.Pop();
    batch_ = queue_.Front();
  } else {
    Fill(&own_);
    batch_ = &own_;
  }
  if (gives_ == Gives::kFrames) tables_.InternFrames(batch_->places, &frames_);
}

FramePrefetcher::Range FramePrefetcher::NextRange() {
  if (batch_ == nullptr || at_ == batch_->ends.size()) FetchBatch();
  const size_t begin = at_ == 0 ? 0 : batch_->ends[at_ - 1];
  return {begin, batch_->ends[at_++] - begin};
}

}  // namespace perf2x
