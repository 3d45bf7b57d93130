#ifndef PERF2X_PROFILE_FRAMES_AHEAD_H_
#define PERF2X_PROFILE_FRAMES_AHEAD_H_

#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include "absl/types/span.h"
#include "converter/base/bounded_queue.h"
#include "converter/profile/tables.h"

namespace perf2x {

// The frames of all stacks in order of their ids. Where they lie is worked out
// ahead of whoever uses them on a thread of its own; while this exists, no one
// else may ask the tables for frames.
class FramesAhead {
 public:
  // Stacks [0, count), of these only the `wanted` ones (by id; null: all),
  // which must not change. Without `ahead`, there is no other thread.
  FramesAhead(ProfileTables& tables, size_t count, bool ahead,
              const std::vector<bool>* wanted = nullptr);
  ~FramesAhead();

  // The frames of the next stack, leaf first; never empty. At most one call a
  // stack. Valid until the next call.
  absl::Span<const FrameId> Next();
  // Where these lie, instead; of one object only one of the two may be asked.
  absl::Span<const FramePlace> NextPlaces();

 private:
  struct Batch {
    std::vector<FramePlace> places;
    std::vector<uint32_t> ends;  // of each stack, in places
  };
  // The part of a batch that is the next stack's.
  struct Range {
    size_t begin, size;
  };
  bool Fill(Batch* batch);
  void FetchBatch();
  bool batch_is_used() const {
    return batch_ == nullptr || at_ == batch_->ends.size();
  }
  Range NextRange();

  ProfileTables& tables_;
  const size_t count_;
  const std::vector<bool>* const wanted_;
  BoundedQueue<Batch> queue_;
  Batch own_;  // what is filled when there is no other thread
  Batch* batch_ = nullptr;
  std::vector<FrameId> frames_;  // of batch_
  size_t at_ = 0;                // in batch_
  StackId next_ = 0;             // only the one that fills knows
  std::thread thread_;
};

}  // namespace perf2x

#endif  // PERF2X_PROFILE_FRAMES_AHEAD_H_
