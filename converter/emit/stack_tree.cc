// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/stack_tree.h"

#include "converter/base/hash_seed.h"

namespace perf2x {

StackTree::StackTree() : slots_(size_t{1} << 10), tags_(slots_.size(), kFree) {}

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

StackTree::Place StackTree::FirstPlaceOf(NodeId parent, FrameId frame) const {
  uint64_t h = (uint64_t{parent} << 32 | frame) * kHashSeed.odd;
  h ^= h >> 32;
  h *= 0xd6e8feb86659fd93u;
  return {(h >> 32) & (slots_.size() - 1),
          static_cast<uint8_t>(kUsed | (h >> 25 & 0x7f))};
}

StackTree::NodeId StackTree::Child(NodeId parent, FrameId frame) {
  // A node's first child mostly follows it, as the first root is node 0. The
  // last node has no child yet.
  const NodeId next = parent + 1;
  if (next == nodes_.size()) {
    nodes_.push_back({parent, frame});
    return next;
  }
  if (nodes_[next].parent == parent && nodes_[next].frame == frame) return next;
  if (4 * (in_slots_ + 1) > 3 * slots_.size()) Grow();
  auto [slot, tag] = FirstPlaceOf(parent, frame);
  for (; tags_[slot] != kFree; slot = (slot + 1) & (slots_.size() - 1)) {
    if (tags_[slot] != tag) continue;
    const Node& node = nodes_[slots_[slot]];
    if (node.parent == parent && node.frame == frame) return slots_[slot];
  }
  tags_[slot] = tag;
  slots_[slot] = static_cast<NodeId>(nodes_.size());
  ++in_slots_;
  nodes_.push_back({parent, frame});
  return slots_[slot];
}

void StackTree::Grow() {
  const size_t size = 2 * slots_.size();
  slots_ = std::vector<NodeId, HugePageAllocator<NodeId>>();
  slots_.resize(size);
  tags_.assign(size, kFree);
  for (NodeId i = 0; i < nodes_.size(); ++i) {
    if (nodes_[i].parent + 1 == i) continue;
    auto [slot, tag] = FirstPlaceOf(nodes_[i].parent, nodes_[i].frame);
    while (tags_[slot] != kFree) slot = (slot + 1) & (size - 1);
    tags_[slot] = tag;
    slots_[slot] = i;
  }
}

void StackTree::DropIndex() {
  slots_ = std::vector<NodeId, HugePageAllocator<NodeId>>();
  tags_ = std::vector<uint8_t, HugePageAllocator<uint8_t>>();
  last_frames_ = std::vector<FrameId>();
  last_nodes_ = std::vector<NodeId>();
}

}  // namespace perf2x
