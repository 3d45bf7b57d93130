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
  // Stacks [0, count). Without `ahead`, there is no other thread.
  FramesAhead(ProfileTables& tables, size_t count, bool ahead);
  ~FramesAhead();

  // The frames of the next stack, leaf first; never empty. At most `count`
  // calls. Valid until the next call.
  absl::Span<const FrameId> Next();

 private:
  struct Batch {
    std::vector<FramePlace> places;
    std::vector<uint32_t> ends;  // of each stack, in places
  };
  bool Fill(Batch* batch);

  ProfileTables& tables_;
  const size_t count_;
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
