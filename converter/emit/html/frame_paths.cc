// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/html/frame_paths.h"

#include <algorithm>

namespace perf2x {
namespace {

// Bytes of memory of a path: itself, and its place in the hash table.
constexpr uint64_t kOfPath = 8 + 2 * 17;
constexpr size_t kAccountEvery = 4096;

}  // namespace

FramePaths::PathId FramePaths::Step(PathId caller, FrameId frame) {
  const auto [it, inserted] = ids_.try_emplace(
      uint64_t{caller} << 32 | frame, static_cast<PathId>(paths_.size()));
  if (inserted) {
    paths_.push_back({caller, frame});
    if (paths_.size() % kAccountEvery == 0) {
      memory_.Set(paths_.size() * kOfPath);
    }
  }
  return it->second;
}

FramePaths::PathId FramePaths::Add(absl::Span<const FrameId> frames) {
  // Neighbours have callers in common.
  size_t same = 0;
  const size_t most = std::min(frames.size(), latest_frames_.size());
  while (same < most &&
         latest_frames_[same] == frames[frames.size() - 1 - same]) {
    ++same;
  }
  latest_frames_.resize(same);
  latest_paths_.resize(same);
  PathId path = same > 0 ? latest_paths_.back() : kRoot;
  for (size_t i = frames.size() - same; i-- > 0;) {
    path = Step(path, frames[i]);
    latest_frames_.push_back(frames[i]);
    latest_paths_.push_back(path);
  }
  return path;
}

}  // namespace perf2x
