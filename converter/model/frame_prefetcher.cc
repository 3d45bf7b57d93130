// SPDX-License-Identifier: Apache-2.0
#include "converter/model/frame_prefetcher.h"

#include <algorithm>
#include <utility>

namespace perf2x {
namespace {

// Small enough that a batch is still in the cache when the caller uses it.
constexpr size_t kFramesInBatch = 1 << 12;
// A stack may have a million frames, which are a batch then. Frames that wait
// to be used, and those that a batch keeps memory for.
constexpr size_t kMaxWaiting = 1 << 18, kMaxKept = 1 << 15;

// A thread takes longer to start than the frames of so few stacks to find.
constexpr size_t kMinStacksOfThread = 256;
// Batches for which a helper is woken.
constexpr size_t kWakeAt = 6;

}  // namespace

FramePrefetcher::FramePrefetcher(TraceTables& tables, Result result,
                                 StackId begin, StackId end,
                                 HelperPool* helpers,
                                 std::optional<std::vector<bool>> requested,
                                 uint64_t max_frames)
    : tables_(tables),
      result_(result),
      end_(end),
      requested_(std::move(requested)),
      max_frames_(max_frames),
      has_finders_([this] {
        FrameSource* const source = tables_.frame_source();
        auto finder = source == nullptr ? nullptr : source->MakeFinder();
        if (finder == nullptr) return false;
        finders_.push_back(std::move(finder));
        return true;
      }()),
      next_(begin),
      batches_(
          end - begin < kMinStacksOfThread ? nullptr : helpers,
          [this](Batch& batch) { return Accept(batch); }, Batch(this),
          has_finders_ ? decltype(batches_)::Order::kAtOnce
                       : decltype(batches_)::Order::kOneByOne,
          kWakeAt) {}

void FramePrefetcher::Batch::Clear() {
  begin = end = 0;
  waiting = 0;
  found = true;
  places.clear();
  ends.clear();
  hashes.clear();
  if (places.capacity() > kMaxKept) places = {};
  if (words.capacity() > 2 * kMaxKept) words = std::vector<uint64_t>();
}

// Appends what `append` finds of the stack.
template <class Append>
bool FramePrefetcher::AppendStack(StackId stack, Append append, Batch* batch) {
  const size_t begin = batch->places.size();
  if (!append(stack, &batch->places)) return false;
  const size_t end = batch->places.size();
  if (result_ == Result::kFrames) {
    batch->ends.push_back(static_cast<uint32_t>(end));
    return true;
  }
  batch->words.resize(2 * (end - begin));
  uint64_t* to = batch->words.data();
  for (size_t i = begin; i < end; ++i) {
    const FramePlace& place = batch->places[i];
    *to++ = place.address;
    *to++ = place.dso;
  }
  batch->hashes.push_back(
      HashBytes({reinterpret_cast<const uint8_t*>(batch->words.data()),
                 batch->words.size() * sizeof(batch->words[0])}));
  return true;
}

// Assigns the next stacks to a batch, unless too much waits.
void FramePrefetcher::Assign(Batch* batch) {
  batch->begin = next_;
  if (waiting_ < kMaxWaiting) {
    for (; next_ < end_ && batch->waiting < kFramesInBatch; ++next_) {
      if (requested(next_)) {
        batch->waiting += tables_.stacks.callchain_words(next_) + 1;
      }
    }
  }
  batch->end = next_;
  waiting_ += batch->waiting;
}

// Runs on any thread.
void FramePrefetcher::Find(Batch* batch) {
  if (!has_finders_) return FindHere(batch);
  std::unique_ptr<PlaceFinder> finder;
  {
    std::lock_guard lock(mutex_);
    if (!finders_.empty()) {
      finder = std::move(finders_.back());
      finders_.pop_back();
    }
  }
  if (finder == nullptr) finder = tables_.frame_source()->MakeFinder();
  const auto append = [&](StackId stack, FramePlaces* places) {
    return finder->AppendPlaces(stack, places);
  };
  for (StackId stack = batch->begin; stack < batch->end; ++stack) {
    if (!requested(stack)) continue;
    batch->found = AppendStack(stack, append, batch);
    if (!batch->found) break;
  }
  std::lock_guard lock(mutex_);
  finders_.push_back(std::move(finder));
}

// Finds the places of a batch in the frame source itself: with finders, again;
// without, of the next stacks, unless too much waits.
void FramePrefetcher::FindHere(Batch* batch) {
  const auto append = [this](StackId stack, FramePlaces* places) {
    tables_.AppendPlaces(stack, places);
    return true;
  };
  if (has_finders_) {
    for (StackId stack = batch->begin; stack < batch->end; ++stack) {
      if (requested(stack)) AppendStack(stack, append, batch);
    }
    return;
  }
  if (waiting_ >= kMaxWaiting) return;
  const size_t max_hashes = kFramesInBatch / 4;
  for (; next_ < end_ && batch->places.size() < kFramesInBatch &&
         batch->hashes.size() < max_hashes;
       ++next_) {
    if (requested(next_)) AppendStack(next_, append, batch);
  }
  batch->waiting = batch->places.size();
  waiting_ += batch->waiting;
}

// Makes `batch` the one that Next reads. Batches come in the order of the
// stacks, so what they add to the tables does, too.
absl::Status FramePrefetcher::Accept(Batch& batch) {
  if (!batch.found) {
    batch.places.clear();
    batch.ends.clear();
    batch.hashes.clear();
    FindHere(&batch);
  }
  std::swap(batch, batch_);
  at_ = 0;
  if (result_ == Result::kFrames && !batch_.places.empty()) {
    frames_.clear();
    if (tables_.frames().size() < max_frames_) {
      tables_.InternFrames(batch_.places, &frames_);
    }
  }
  return absl::OkStatus();
}

void FramePrefetcher::FetchBatch() {
  waiting_ -= std::exchange(batch_.waiting, 0);
  batch_.Clear();
  while (batch_.ends.empty() && batch_.hashes.empty()) {
    if (has_finders_) Assign(&batches_.chunk());
    batches_.Push().IgnoreError();  // Accept returns none
  }
}

}  // namespace perf2x
