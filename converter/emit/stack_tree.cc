// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/stack_tree.h"

#include <algorithm>

#include "converter/base/hash_seed.h"

namespace perf2x {

StackTree::StackTree() : slots_(size_t{1} << 10, kNoId) {}

StackTree::NodeId StackTree::Add(absl::Span<const FrameId> frames) {
  const size_t size = frames.size();
  size_t same = 0;
  while (same < size && same < last_frames_.size() &&
         last_frames_[same] == frames[size - 1 - same]) {
    ++same;
  }
  last_frames_.resize(size);
  last_nodes_.resize(size);
  for (size_t i = same; i < size; ++i) {
    last_frames_[i] = frames[size - 1 - i];
    last_nodes_[i] =
        Child(i == 0 ? kNoId : last_nodes_[i - 1], last_frames_[i]);
  }
  return last_nodes_[size - 1];
}

size_t StackTree::SlotOf(NodeId parent, FrameId frame) const {
  uint64_t h = (uint64_t{parent} << 32 | frame) * kHashSeed.odd;
  h ^= h >> 32;
  h *= 0xd6e8feb86659fd93u;
  return (h >> 32) & (slots_.size() - 1);
}

StackTree::NodeId StackTree::Child(NodeId parent, FrameId frame) {
  if (4 * (nodes_.size() + 1) > 3 * slots_.size()) Grow();
  size_t slot = SlotOf(parent, frame);
  for (; slots_[slot] != kNoId; slot = (slot + 1) & (slots_.size() - 1)) {
    const Node& node = nodes_[slots_[slot]];
    if (node.parent == parent && node.frame == frame) return slots_[slot];
  }
  slots_[slot] = static_cast<NodeId>(nodes_.size());
  nodes_.push_back({parent, frame});
  return slots_[slot];
}

void StackTree::Grow() {
  const size_t size = 2 * slots_.size();
  slots_ = std::vector<NodeId, HugePageAllocator<NodeId>>();
  slots_.resize(size, kNoId);
  for (NodeId i = 0; i < nodes_.size(); ++i) {
    size_t slot = SlotOf(nodes_[i].parent, nodes_[i].frame);
    while (slots_[slot] != kNoId) slot = (slot + 1) & (size - 1);
    slots_[slot] = i;
  }
}

void StackTree::DropIndex() {
  slots_ = std::vector<NodeId, HugePageAllocator<NodeId>>();
  last_frames_ = std::vector<FrameId>();
  last_nodes_ = std::vector<NodeId>();
}

}  // namespace perf2x
