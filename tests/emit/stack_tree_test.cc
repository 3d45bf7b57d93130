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

TEST(StackTreeTest, DropIndexLeavesOnlyTheNodes) {
  constexpr FrameId kStacks = 8193;  // the nodes' memory has just doubled
  StackTree tree;
  for (FrameId i = 0; i < kStacks; ++i) tree.Add({i});
  tree.DropIndex();
  EXPECT_LE(tree.memory(), 2 * kStacks * 2 * sizeof(FrameId));
}

}  // namespace
}  // namespace perf2x
