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

// Computes the frames of stacks, in the order of their ids, on a thread of its
// own, before Next asks for them. While a FramePrefetcher exists, nothing else
// may ask the tables for frames or DSOs. Its thread calls
// TraceTables::AppendPlaces; InternFrames is called by that thread or the
// caller's, whichever is free.
class FramePrefetcher {
 public:
  enum class Result { kFrames, kPlaces };

  // Covers the stacks with ids [0, count), which must not change. If
  // `requested` is given, covers only the ids for which it is true. If
  // `on_thread` is false, Next does all the work on the caller's thread.
  FramePrefetcher(TraceTables& tables, Result result, size_t count,
                  bool on_thread,
                  std::optional<std::vector<bool>> requested = std::nullopt);
  ~FramePrefetcher();

  // For Result::kFrames: returns the frames of the next stack, leaf first;
  // never empty. Must not be called more often than there are stacks. The span
  // is valid until the next call.
  absl::Span<const FrameId> Next() {
    const Range range = NextRange();
    return absl::MakeConstSpan(batch_->frames).subspan(range.begin, range.size);
  }
  // For Result::kPlaces: as Next, but the frames are not interned.
  absl::Span<const FramePlace> NextPlaces() {
    const Range range = NextRange();
    return absl::MakeConstSpan(batch_->places).subspan(range.begin, range.size);
  }

 private:
  struct Batch {
    std::vector<FramePlace> places;
    std::vector<FrameId> frames;
    std::vector<uint32_t> ends;  // by stack, in `places` and `frames`
  };
  // The next stack's part of a batch.
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
  const Result result_;
  const size_t count_;

  std::vector<Batch> batches_;
  // Each thread updates its own position for every stack; this distance avoids
  // false sharing of the two. Processors prefetch cache lines in pairs.
  static constexpr size_t kApart = 2 * kCacheLine;
  // Used only by the thread that calls Fill.
  alignas(kApart) StackId next_ = 0;
  const std::optional<std::vector<bool>> requested_;
  alignas(kApart) Batch* batch_ = nullptr;  // that Next reads
  size_t at_ = 0;                           // in batch_

  alignas(kApart) std::mutex mutex_;  // guards the members below
  std::condition_variable changed_;
  // Numbers of batches that have been filled, interned and used, in this order:
  // filled_ >= interned_ >= used_.
  size_t filled_ = 0, interned_ = 0, used_ = 0;
  bool interning_ = false;               // one of the two threads interns
  bool no_more_ = false, left_ = false;  // all stacks are filled; user is gone
  // Each thread waits until the other one has done several batches: waking it
  // for every batch would cost more than a batch.
  bool filler_waits_ = false, user_waits_ = false;
  std::thread thread_;
};

}  // namespace perf2x

#endif  // PERF2X_MODEL_FRAME_PREFETCHER_H_
