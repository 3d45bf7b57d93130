// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_MODEL_FRAME_PREFETCHER_H_
#define PERF2X_MODEL_FRAME_PREFETCHER_H_

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "absl/types/span.h"
#include "converter/model/trace_tables.h"

namespace perf2x {

// The frames of all stacks in order of their ids, worked out ahead of whoever
// uses them on a thread of its own; while this exists, no one else may ask the
// tables for frames or files. Where frames lie is the first half of the work,
// to intern them the second, which both threads do: whoever has the time.
class FramePrefetcher {
 public:
  enum class Gives { kFrames, kPlaces };

  // Stacks [0, count), of these only the `requested` ones (by id; none: all),
  // which must not change. Without `on_thread`, there is no other thread.
  FramePrefetcher(TraceTables& tables, Gives gives, size_t count,
                  bool on_thread,
                  std::optional<std::vector<bool>> requested = std::nullopt);
  ~FramePrefetcher();

  // The frames of the next stack, leaf first; never empty. At most one call a
  // stack. Valid until the next call.
  absl::Span<const FrameId> Next() {
    const Range range = NextRange();
    return absl::MakeConstSpan(batch_->frames).subspan(range.begin, range.size);
  }
  // The same of an object that gives places: where these frames lie.
  absl::Span<const FramePlace> NextPlaces() {
    const Range range = NextRange();
    return absl::MakeConstSpan(batch_->places).subspan(range.begin, range.size);
  }

 private:
  struct Batch {
    std::vector<FramePlace> places;
    std::vector<FrameId> frames;
    std::vector<uint32_t> ends;  // of each stack, in these
  };
  // The part of a batch that is the next stack's.
  struct Range {
    size_t begin, size;
  };
  bool Fill(Batch* batch);
  void Intern(Batch* batch);
  void InternNext(std::unique_lock<std::mutex>& lock);
  void Work();
  void FetchBatch();
  Range NextRange();
  Batch& batch(size_t number) { return batches_[number % batches_.size()]; }
  bool full() const { return filled_ - used_ == batches_.size(); }

  TraceTables& tables_;
  const Gives gives_;
  const size_t count_;

  std::vector<Batch> batches_;
  // Each thread writes its own place for every stack: on one cache line the two
  // would wait for each other. Processors fetch lines in pairs.
  static constexpr size_t kApart = 2 * kCacheLine;
  // Only used by the thread that fills.
  alignas(kApart) StackId next_ = 0;
  const std::optional<std::vector<bool>> requested_;
  alignas(kApart) Batch* batch_ = nullptr;  // in use
  size_t at_ = 0;                           // in batch_

  alignas(kApart) std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  // Batches that have been filled; of these, that have been interned; of these,
  // that have been used.
  size_t filled_ = 0, interned_ = 0, used_ = 0;
  bool interning_ = false;               // one of the two is
  bool no_more_ = false, left_ = false;  // to fill; to use
  // Each waits until the other has done several batches: to be woken for each
  // costs more than a batch.
  bool filler_waits_ = false, user_waits_ = false;
  std::thread thread_;
};

}  // namespace perf2x

#endif  // PERF2X_MODEL_FRAME_PREFETCHER_H_
