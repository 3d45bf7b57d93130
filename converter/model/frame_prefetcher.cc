// SPDX-License-Identifier: Apache-2.0
#include "converter/model/frame_prefetcher.h"

#include <algorithm>
#include <utility>

#include "converter/base/thread.h"

namespace perf2x {
namespace {

// Small enough that a batch is still in the cache when the other thread uses
// it.
constexpr size_t kFramesInBatch = 1 << 11;
// A stack may have a million frames, which are a batch then. Frames that wait
// to be used, and those that a batch keeps memory for.
constexpr size_t kMaxWaiting = 1 << 18, kMaxKept = 1 << 15;

// A thread takes longer to start than the frames of so few stacks to find.
constexpr size_t kMinStacksOfThread = 256;

// More batches keep the two threads from waiting for each other. Where there
// are many stacks, the memory of more batches does not matter.
size_t BatchesFor(size_t stacks) {
  return std::clamp<size_t>(stacks >> 14, 4, 16);
}

}  // namespace

FramePrefetcher::FramePrefetcher(TraceTables& tables, Result result,
                                 StackId begin, StackId end, bool on_thread,
                                 std::optional<std::vector<bool>> requested,
                                 uint64_t max_frames)
    : tables_(tables),
      result_(result),
      end_(end),
      max_frames_(max_frames),
      batches_(on_thread ? BatchesFor(end - begin) : 1),
      next_(begin),
      requested_(std::move(requested)) {
  if (on_thread && end - begin >= kMinStacksOfThread) {
    thread_ = StartThread("perf2x-frames", [this] { Work(); });
  }
}

FramePrefetcher::~FramePrefetcher() {
  if (!thread_.joinable()) return;
  {
    std::lock_guard lock(mutex_);
    left_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

bool FramePrefetcher::Fill(Batch* batch) {
  batch->places.clear();
  batch->places.reserve(kFramesInBatch + kFramesInBatch / 4);
  batch->ends.clear();
  for (; next_ < end_ && batch->places.size() < kFramesInBatch; ++next_) {
    if (requested_.has_value() && !(*requested_)[next_]) continue;
    tables_.AppendPlaces(next_, &batch->places);
    batch->ends.push_back(static_cast<uint32_t>(batch->places.size()));
  }
  return !batch->ends.empty();
}

void FramePrefetcher::Intern(Batch* batch) {
  if (result_ == Result::kPlaces) return;
  if (tables_.frames().size() < max_frames_) {
    tables_.InternFrames(batch->places, &batch->frames);
  } else {
    batch->frames.clear();
  }
}

// Frame ids follow the order of the stacks, so batches are interned in order
// and one at a time.
void FramePrefetcher::InternNext(std::unique_lock<std::mutex>& lock) {
  interning_ = true;
  Batch* const next = &batch(interned_);
  lock.unlock();
  Intern(next);
  lock.lock();
  interning_ = false;
  ++interned_;
  changed_.notify_all();
}

// Runs on `thread_`.
void FramePrefetcher::Work() {
  std::unique_lock lock(mutex_);
  while (!left_) {
    if (!full() && !no_more_) {
      Batch* const next = &batch(filled_);
      lock.unlock();
      const bool any = Fill(next);
      lock.lock();
      if (any) ++filled_;
      waiting_ += next->places.size();
      no_more_ = !any;
      if (user_waits_ &&
          (no_more_ || full() || filled_ - used_ > batches_.size() / 2)) {
        user_waits_ = false;
        changed_.notify_all();
      }
    } else if (interned_ < filled_ && !interning_) {
      InternNext(lock);
    } else if (no_more_) {
      return;
    } else {
      filler_waits_ = true;
      changed_.wait(lock, [this] { return !filler_waits_ || left_; });
    }
  }
}

bool FramePrefetcher::full() const {
  return filled_ - used_ == batches_.size() || waiting_ >= kMaxWaiting;
}

// Frees the memory of a batch of very large stacks.
void FramePrefetcher::Shrink(Batch* batch) {
  if (batch->places.capacity() <= kMaxKept) return;
  *batch = Batch();
}

void FramePrefetcher::FetchBatch() {
  at_ = 0;
  if (!thread_.joinable()) {
    batch_ = &batches_[0];
    Shrink(batch_);
    Fill(batch_);
    Intern(batch_);
    return;
  }
  std::unique_lock lock(mutex_);
  if (batch_ != nullptr) {
    ++used_;
    waiting_ -= batch_->places.size();
    Shrink(batch_);
  }
  if (filler_waits_ && filled_ - used_ <= batches_.size() / 2) {
    filler_waits_ = false;
    changed_.notify_all();
  }
  if (filled_ == used_ && !no_more_) {
    user_waits_ = true;
    changed_.wait(lock, [this] { return !user_waits_; });
  }
  while (interned_ == used_) {
    if (interning_) {
      changed_.wait(lock, [this] { return !interning_; });
    } else {
      InternNext(lock);
    }
  }
  batch_ = &batch(used_);
}

FramePrefetcher::Range FramePrefetcher::NextRange() {
  if (batch_ == nullptr || at_ == batch_->ends.size()) FetchBatch();
  const size_t begin = at_ == 0 ? 0 : batch_->ends[at_ - 1];
  return {begin, batch_->ends[at_++] - begin};
}

}  // namespace perf2x
