// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/used_stacks.h"

#include <algorithm>

#include "converter/model/frame_prefetcher.h"

namespace perf2x {

uint64_t UsedStacks::MemoryWith(size_t more) const {
  constexpr uint64_t kOfNode = 16;
  return std::max(tree_.MemoryWith(more), (tree_.size() + more) * kOfNode);
}

void UsedStacks::Finish(Pipeline& pipeline) {
  // Frames are interned only here, and emitters have tables of them.
  constexpr uint64_t kOfFrame = 160, kOfStack = 4, kAccountAt = 64 << 10;
  tables_.stacks.DropIndex();
  node_of_.resize(used_.size(), kNoId);
  // If the budget were exhausted here, nothing could be made of the tree.
  const uint64_t left = budget_.left(Budget::kMemory), limit = left - left / 4;
  const uint64_t max_frames = tables_.frames().size() + limit / kOfFrame + 1;
  uint64_t others = used_.size() * kOfStack;
  {
    FramePrefetcher frames(tables_, FramePrefetcher::Result::kFrames, 0,
                           used_.size(), pipeline.helpers(), used_, max_frames);
    FrameId newest = 0;
    bool full = false;
    for (StackId stack = 0; stack < used_.size(); ++stack) {
      if (!used_[stack]) continue;
      const absl::Span<const FrameId> path = frames.Next();
      tables_.stacks.FreeBelow(stack);
      if (!full) {
        for (const FrameId frame : path) newest = std::max(newest, frame);
        others = newest * kOfFrame + used_.size() * kOfStack;
        full = path.empty() || others + MemoryWith(path.size()) > limit;
      }
      if (full) {
        skip_counter_.Count("memory");
      } else if (!skip_counter_.CountIfExhausted()) {
        node_of_[stack] = tree_.Add(path);
        const uint64_t memory = others + MemoryWith(0);
        if (memory >= memory_.held() + kAccountAt) memory_.Set(memory);
      }
    }
  }
  skip_counter_.Report();
  tree_.DropIndex();
  tables_.DropStacks();
  memory_.Set(std::min(limit, others + MemoryWith(0)));
  Symbolize(pipeline.workers());
  flat_ = functions_.FlatNodes(tree_);
  functions_.Report();
}

// Merged recordings have the frames of all their stacks from the start, those
// of other events included: only the used ones are worth a look-up.
void UsedStacks::Symbolize(WorkerPool& workers) {
  std::vector<bool> used(tables_.frames().size());
  for (StackTree::NodeId id = 0; id < tree_.size(); ++id) {
    used[tree_.frame(id)] = true;
  }
  if (std::find(used.begin(), used.end(), false) == used.end()) {
    tables_.SymbolizeAllFrames(workers);
    return;
  }
  for (FrameId frame = 0; frame < used.size(); ++frame) {
    if (used[frame]) tables_.Lines(frame);
  }
}

}  // namespace perf2x
