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

// Works out the frames of all stacks in order of their ids, ahead of whoever
// uses them on a thread of its own. While it exists, no one else may ask the
// tables for frames or add to them.
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
    std::vector<FrameId> frames;
    std::vector<uint32_t> ends;  // of each stack, in frames
  };
  bool Fill(Batch* batch);

  ProfileTables& tables_;
  const size_t count_;
  BoundedQueue<Batch> queue_;
  Batch own_;  // what is filled when there is no other thread
  Batch* batch_ = nullptr;
  size_t at_ = 0;  // in batch_
  // Only of the one that fills.
  StackId next_ = 0;
  std::vector<FrameId> frames_;
  std::thread thread_;
};

}  // namespace perf2x

#endif  // PERF2X_PROFILE_FRAMES_AHEAD_H_
