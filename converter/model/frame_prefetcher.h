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

// Computes the frames of stacks, in the order of their ids. A separate thread
// computes ahead of Next or NextPlaces. While a FramePrefetcher exists, nothing
// else may use the frames or DSOs of the tables. Next and NextPlaces are not
// thread-safe.
class FramePrefetcher {
 public:
  // Which of Next and NextPlaces the caller will use.
  enum class Result {
    kFrames,  // frames are interned, for Next
    kPlaces,  // frames are not interned, for NextPlaces
  };

  // Covers the stacks with ids in [begin, end). If `requested` is given, covers
  // only ids whose element is true. `requested` must have `end` elements. The
  // stacks must not change. The caller may free stacks before the one that Next
  // or NextPlaces returns next. If `on_thread` is false, Next or NextPlaces do
  // all the work. Interning stops when the tables have about `max_frames`
  // frames: Next is then empty for all further stacks. Where interning stops
  // does not depend on `on_thread`.
  FramePrefetcher(TraceTables& tables, Result result, StackId begin,
                  StackId end, bool on_thread,
                  std::optional<std::vector<bool>> requested = std::nullopt,
                  uint64_t max_frames = UINT64_MAX);
  // Stops the thread. May be called before all stacks were used.
  ~FramePrefetcher();

  // Returns the frames of the next covered stack, leaf first. Empty only if the
  // stack was not interned because of `max_frames`. Requires Result::kFrames.
  // To be called at most once for each covered stack. The span is valid until
  // the next call.
  absl::Span<const FrameId> Next() {
    const Range range = NextRange();
    if (batch_->frames.empty()) return {};
    return absl::MakeConstSpan(batch_->frames).subspan(range.begin, range.size);
  }
  // As Next, but returns the places of the frames, at least one. Interns
  // nothing. Requires Result::kPlaces.
  absl::Span<const FramePlace> NextPlaces() {
    const Range range = NextRange();
    return absl::MakeConstSpan(batch_->places).subspan(range.begin, range.size);
  }

 private:
  struct Batch {
    std::vector<FramePlace> places;
    std::vector<FrameId> frames;  // empty: not interned
    std::vector<uint32_t> ends;   // by stack, in `places` and `frames`
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
  bool full() const;
  static void Shrink(Batch* batch);

  TraceTables& tables_;
  const Result result_;
  const StackId end_;
  const uint64_t max_frames_;

  std::vector<Batch> batches_;
  // Each thread updates its own position for every stack; this distance avoids
  // false sharing of the two. Processors prefetch cache lines in pairs.
  static constexpr size_t kApart = 2 * kCacheLine;
  // Used only by the thread that calls Fill.
  alignas(kApart) StackId next_;
  const std::optional<std::vector<bool>> requested_;
  alignas(kApart) Batch* batch_ = nullptr;  // that Next reads
  size_t at_ = 0;                           // in batch_

  alignas(kApart) std::mutex mutex_;  // guards the members below
  std::condition_variable changed_;
  // Numbers of batches that have been filled, interned and used, in this order:
  // filled_ >= interned_ >= used_.
  size_t filled_ = 0, interned_ = 0, used_ = 0;
  size_t waiting_ = 0;      // frames of batches that are filled, but not used
  bool interning_ = false;  // one of the two threads interns
  bool no_more_ = false, left_ = false;  // all stacks are filled; user is gone
  // Each thread waits until the other one has done several batches: waking it
  // for every batch would cost more than a batch.
  bool filler_waits_ = false, user_waits_ = false;
  std::thread thread_;
};

}  // namespace perf2x

#endif  // PERF2X_MODEL_FRAME_PREFETCHER_H_
