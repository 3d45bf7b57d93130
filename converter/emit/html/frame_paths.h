// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_HTML_FRAME_PATHS_H_
#define PERF2X_EMIT_HTML_FRAME_PATHS_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "converter/base/budget.h"
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

  // Returns the path of a stack, whose frames are leaf first.
  PathId Add(absl::Span<const FrameId> frames);
  // By PathId; the first is the root, which has no frame.
  const std::vector<Path>& paths() const { return paths_; }

 private:
  PathId Step(PathId caller, FrameId frame);

  Budget::Share memory_;
  std::vector<Path> paths_;
  absl::flat_hash_map<uint64_t, PathId> ids_;  // by caller and frame
  // The latest stack, outermost frame first, and its paths.
  std::vector<FrameId> latest_frames_;
  std::vector<PathId> latest_paths_;
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_HTML_FRAME_PATHS_H_
