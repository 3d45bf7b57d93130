// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/html/frame_paths.h"

#include <algorithm>

namespace perf2x {
namespace {

constexpr size_t kPathsPerAccount = 4096;

}  // namespace

FramePaths::PathId FramePaths::Step(PathId caller, FrameId frame) {
  const auto next = static_cast<PathId>(paths_.size());
  const PathId id = ids_.FindOrAdd(caller, frame, next);
  if (id == next) {
    paths_.push_back({caller, frame});
    if (next % kPathsPerAccount == 0) {
      memory_.Set(paths_.capacity() * sizeof(Path) + ids_.memory());
    }
  }
  return id;
}

void FramePaths::Add(absl::Span<const FrameId> frames, PathId* path) {
  Waiting& stack = waiting_[waits_++];
  stack.path = path;
  stack.frames.assign(frames.rbegin(), frames.rend());
  if (waits_ == kTogether) Flush();
}

void FramePaths::Flush() {
  size_t deepest = 0;
  for (size_t i = 0; i < waits_; ++i) {
    *waiting_[i].path = kRoot;
    deepest = std::max(deepest, waiting_[i].frames.size());
  }
  for (size_t depth = 0; depth < deepest; ++depth) {
    const auto each = [&](auto use) {
      for (size_t i = 0; i < waits_; ++i) {
        const Waiting& stack = waiting_[i];
        if (depth < stack.frames.size()) use(stack.path, stack.frames[depth]);
      }
    };
    each([&](const PathId* path, FrameId frame) {
      ids_.Prefetch(*path, frame);
    });
    each([&](PathId* path, FrameId frame) { *path = Step(*path, frame); });
  }
  waits_ = 0;
}

}  // namespace perf2x
