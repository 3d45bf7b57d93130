// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_HTML_FRAME_PATHS_H_
#define PERF2X_EMIT_HTML_FRAME_PATHS_H_

#include <array>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "converter/base/budget.h"
#include "converter/emit/html/step_table.h"
#include "converter/model/model.h"

namespace perf2x {

// The distinct stacks as a tree of frames: stacks with the same callers share
// them. Holds the stacks until their frames are symbolized. Not thread-safe.
class FramePaths {
 public:
  using PathId = uint32_t;
  static constexpr PathId kRoot = 0;
  struct Path {
    PathId caller = kRoot;  // always lower than its own number
    FrameId frame = kNoId;
  };

  explicit FramePaths(Budget& budget) : memory_(budget), paths_(1) {}

  // Sets `*path` to the path of a stack, whose frames are leaf first: now, in a
  // later call, or in Flush.
  void Add(absl::Span<const FrameId> frames, PathId* path);
  // Adds the stacks that still wait.
  void Flush();
  // By PathId; the first is the root, which has no frame.
  const std::vector<Path>& paths() const { return paths_; }

 private:
  // A stack that waits for others: they are added together, frame by frame, so
  // that one is fetched from memory while others are looked up.
  struct Waiting {
    PathId* path = nullptr;
    std::vector<FrameId> frames;  // outermost first
  };
  static constexpr size_t kTogether = 16;

  PathId Step(PathId caller, FrameId frame);

  Budget::Share memory_;
  std::vector<Path> paths_;
  StepTable ids_;
  std::array<Waiting, kTogether> waiting_;
  size_t waits_ = 0;  // of waiting_
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_HTML_FRAME_PATHS_H_
