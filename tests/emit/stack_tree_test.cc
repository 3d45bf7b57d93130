// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/stack_tree.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

namespace perf2x {
namespace {

// The frames of a node, leaf first.
std::vector<FrameId> PathOf(const StackTree& tree, StackTree::NodeId node) {
  std::vector<FrameId> path;
  for (; node != kNoId; node = tree.parent(node)) {
    path.push_back(tree.frame(node));
  }
  return path;
}

TEST(StackTreeTest, StacksShareTheNodesOfTheirFirstFrames) {
  StackTree tree;
  const auto abc = tree.Add({3, 2, 1});
  const auto ab = tree.Add({2, 1});
  const auto abd = tree.Add({4, 2, 1});
  const auto b = tree.Add({2});
  EXPECT_EQ(tree.size(), 5u);
  EXPECT_EQ(tree.parent(abc), ab);
  EXPECT_EQ(tree.parent(abd), ab);
  EXPECT_EQ(tree.parent(b), kNoId);
  EXPECT_NE(b, ab);
  EXPECT_EQ(tree.Add({3, 2, 1}), abc);
  EXPECT_EQ(tree.size(), 5u);
}

TEST(StackTreeTest, KeepsManyStacksApart) {
  StackTree tree;
  std::map<std::vector<FrameId>, StackTree::NodeId> nodes;
  for (int round = 0; round < 2; ++round) {
    for (FrameId i = 0; i < 20'000; ++i) {
      const std::vector<FrameId> path = {i, i % 100, i % 7, 0};
      const StackTree::NodeId node = tree.Add(path);
      const auto [it, inserted] = nodes.try_emplace(path, node);
      EXPECT_EQ(inserted, round == 0);
      ASSERT_EQ(it->second, node);
    }
  }
  const size_t size = tree.size();
  tree.DropIndex();
  for (const auto& [path, node] : nodes) ASSERT_EQ(PathOf(tree, node), path);
  for (StackTree::NodeId node = 0; node < size; ++node) {
    ASSERT_TRUE(tree.parent(node) == kNoId || tree.parent(node) < node);
  }
}

TEST(StackTreeTest, FindsAllChildrenOfANode) {
  StackTree tree;
  const auto first = tree.Add({1, 0}), leaf = tree.Add({9, 1, 0});
  EXPECT_EQ(tree.parent(leaf), first);
  EXPECT_EQ(leaf, first + 1);
  // Children that do not follow their parent, and their own first children.
  std::vector<StackTree::NodeId> nodes;
  for (FrameId i = 2; i < 5000; ++i) nodes.push_back(tree.Add({i, i, 0}));
  for (FrameId i = 2; i < 5000; ++i) {
    const StackTree::NodeId node = nodes[i - 2];
    EXPECT_EQ(tree.Add({i, i, 0}), node);
    EXPECT_EQ(tree.Add({i, 0}), node - 1);
    EXPECT_EQ(tree.parent(node - 1), 0u);
  }
  EXPECT_EQ(tree.Add({1, 0}), first);
  EXPECT_EQ(tree.Add({9, 1, 0}), leaf);
  EXPECT_EQ(tree.size(), 3u + 2 * 4998);
}

TEST(StackTreeTest, MemoryIsBoundedBeforeAStackIsAdded) {
  StackTree tree;
  for (FrameId i = 0; i < 10'000; ++i) {
    const uint64_t most = tree.MemoryWith(4);
    tree.Add({i, i % 100, i % 7, 0});
    ASSERT_LE(tree.memory(), most);
  }
}

TEST(StackTreeTest, DropIndexLeavesOnlyTheNodes) {
  constexpr FrameId kStacks = 8193;  // the nodes' memory has just doubled
  StackTree tree;
  for (FrameId i = 0; i < kStacks; ++i) tree.Add({i});
  tree.DropIndex();
  EXPECT_LE(tree.memory(), 2 * kStacks * 2 * sizeof(FrameId));
}

}  // namespace
}  // namespace perf2x
