// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_STACK_TREE_H_
#define PERF2X_EMIT_STACK_TREE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "converter/base/huge_page_allocator.h"
#include "converter/model/model.h"

namespace perf2x {

// A prefix tree of stacks. Stacks whose outermost frames are equal share the
// nodes of these frames. A node takes about 8 bytes, and about 8 more if it is
// not the first child of its parent, or was not added with it. Charges no
// budget; see memory(). Not thread-safe.
class StackTree {
 public:
  // Nodes are numbered from 0 in order of creation. The parent of a node is its
  // caller; it has a lower number.
  using NodeId = uint32_t;

  StackTree();

  // Adds a stack and returns the node of its leaf. Equal stacks have the same
  // node. `frames` are leaf first. There must be at least one.
  NodeId Add(absl::Span<const FrameId> frames);

  // Returns the number of nodes.
  size_t size() const { return nodes_.size(); }
  // Returns the node's parent; kNoId for an outermost frame.
  NodeId parent(NodeId node) const { return nodes_[node].parent; }
  FrameId frame(NodeId node) const { return nodes_[node].frame; }
  // Returns the approximate memory in bytes.
  uint64_t memory() const { return MemoryWith(0); }
  // Returns the most that memory() will be with one stack of `more` frames.
  uint64_t MemoryWith(size_t more) const {
    const uint64_t size = nodes_.size() + more;
    uint64_t slots = slots_.size();
    if (more > 0 && 4 * (in_slots_ + 1) > 3 * slots) slots *= 2;
    return size * sizeof(Node) + slots * (sizeof(NodeId) + sizeof(uint8_t));
  }
  // Frees the memory that only Add needs. Add must not be called afterwards.
  void DropIndex();

 private:
  static constexpr uint8_t kFree = 0, kUsed = 0x80;  // tags

  struct Node {
    NodeId parent;
    FrameId frame;
  };
  NodeId Child(NodeId parent, FrameId frame);
  struct Place {
    size_t slot;
    uint8_t tag;
  };
  // Returns where the search for a node begins, and its tag.
  Place FirstPlaceOf(NodeId parent, FrameId frame) const;
  void Grow();

  std::vector<Node, HugePageAllocator<Node>> nodes_;
  // Nodes by hash of parent and frame: open addressing, power of two. Those
  // that follow their parent, as most do, are found without.
  std::vector<NodeId, HugePageAllocator<NodeId>> slots_;
  size_t in_slots_ = 0;
  // More bits of the hash, by slot: a search then reads few nodes other than
  // the one that it finds.
  std::vector<uint8_t, HugePageAllocator<uint8_t>> tags_;
  // The stack added last, root first: the next one often begins with the same
  // frames.
  std::vector<FrameId> last_frames_;
  std::vector<NodeId> last_nodes_;
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_STACK_TREE_H_
