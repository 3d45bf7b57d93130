// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_MODEL_FRAME_PREFETCHER_H_
#define PERF2X_MODEL_FRAME_PREFETCHER_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "converter/base/hash.h"
#include "converter/base/ordered_chunks.h"
#include "converter/model/trace_tables.h"

namespace perf2x {

// Computes the frames of stacks, in the order of their ids. Other threads find
// ahead of Next or NextHash where the frames lie. While a FramePrefetcher
// exists, nothing else may use the frames or DSOs of the tables. Next and
// NextHash are not thread-safe.
class FramePrefetcher {
 public:
  // Which of Next and NextHash the caller will use.
  enum class Result { kFrames, kHashes };

  // Covers the stacks with ids in [begin, end). If `requested` is given, covers
  // only ids whose element is true. `requested` must have `end` elements. The
  // stacks must not change. The caller may free stacks before the one that Next
  // or NextHash returns next. Up to `helpers` threads find places, or one if
  // the tables' frame source has no finders; Next and NextHash do the rest of
  // the work. Interning stops when the tables have about `max_frames` frames:
  // Next is then empty for all further stacks. The results do not depend on
  // `helpers`.
  FramePrefetcher(TraceTables& tables, Result result, StackId begin,
                  StackId end, HelperPool* helpers,
                  std::optional<std::vector<bool>> requested = std::nullopt,
                  uint64_t max_frames = UINT64_MAX);

  // Returns the frames of the next covered stack, leaf first. Empty only if the
  // stack was not interned because of `max_frames`. Requires Result::kFrames.
  // To be called at most once for each covered stack. The span is valid until
  // the next call.
  absl::Span<const FrameId> Next() {
    if (at_ == batch_.ends.size()) FetchBatch();
    const size_t begin = at_ == 0 ? 0 : batch_.ends[at_ - 1];
    const size_t size = batch_.ends[at_++] - begin;
    if (frames_.empty()) return {};
    return absl::MakeConstSpan(frames_).subspan(begin, size);
  }
  // As Next, but returns a hash of the frames' places, without mappings.
  // Interns nothing. Requires Result::kHashes.
  Hash128 NextHash() {
    if (at_ == batch_.hashes.size()) FetchBatch();
    return batch_.hashes[at_++];
  }

 private:
  // A chunk of OrderedChunks: some stacks that follow each other. Of kFrames,
  // the places of their frames and the ends of each; of kHashes, the hashes.
  struct Batch {
    explicit Batch(FramePrefetcher* prefetcher) : of(prefetcher) {}
    void Work() { of->Find(this); }
    void Clear();

    FramePrefetcher* of;
    StackId begin = 0, end = 0;  // with finders
    size_t waiting = 0;          // its part of waiting_
    bool found = true;           // false: a finder lacked something
    FramePlaces places;
    std::vector<uint32_t> ends;
    std::vector<Hash128> hashes;
    std::vector<uint64_t> words;  // scratch: what is hashed
  };
  template <class Append>
  bool AppendStack(StackId stack, Append append, Batch* batch);
  void Assign(Batch* batch);
  void Find(Batch* batch);
  void FindHere(Batch* batch);
  absl::Status Accept(Batch& batch);
  void FetchBatch();
  bool requested(StackId stack) const {
    return !requested_.has_value() || (*requested_)[stack];
  }

  TraceTables& tables_;
  const Result result_;
  const StackId end_;
  const std::optional<std::vector<bool>> requested_;
  const uint64_t max_frames_;
  // The finders that no thread uses now.
  std::mutex mutex_;
  std::vector<std::unique_ptr<PlaceFinder>> finders_;  // guarded by mutex_
  const bool has_finders_;
  StackId next_;                     // to assign or, without finders, to find
  std::atomic<size_t> waiting_ = 0;  // frames of batches, about
  Batch batch_{this};                // that Next reads
  size_t at_ = 0;                    // in batch_
  std::vector<FrameId> frames_;      // of batch_; empty: not interned
  OrderedChunks<Batch> batches_;     // uses the others
};

}  // namespace perf2x

#endif  // PERF2X_MODEL_FRAME_PREFETCHER_H_
