// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/html/pruned_tree.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/support/cpu_time.h"
#include "tests/support/small_trace.h"

namespace perf2x {
namespace {

// Trees of functions f0, f1, … of the program.
class CutTreeTest : public SmallTrace {
 protected:
  // Returns the node of a path, outermost function first.
  uint32_t Node(const std::vector<int>& path) {
    std::vector<FrameId> frames;
    for (size_t i = path.size(); i-- > 0;) frames.push_back(FrameOf(path[i]));
    StackFrames stacks(Budget::Unlimited());
    stacks.Add({0, frames});
    std::vector<CallTree::NodeId> node_of(1);
    uint64_t left_out = 0;
    tree_.Add(&stacks, tables_, Budget::Unlimited(), &node_of, &left_out);
    return node_of[0];
  }
  void AddSum(uint32_t node, uint64_t samples, EventId event = 0) {
    recording_.lanes.push_back({event, 0, 0});
    recording_.entries.push_back(
        {0, static_cast<uint32_t>(recording_.lanes.size() - 1), node,
         static_cast<uint32_t>(samples), samples});
  }
  PrunedTree PruneTree() {
    sums_ = SelfSumsOf(recording_);
    PrunedTree cut = perf2x::PruneTree(tree_, {&sums_});
    Renumber(cut.row_of, &sums_);
    return cut;
  }
  // Returns the rows, indented: "f1", "2 others".
  std::string Shown(const PrunedTree& cut) {
    std::string text;
    std::vector<int> depth(cut.rows.size());
    for (size_t i = 1; i < cut.rows.size(); ++i) {
      const PrunedTree::Row& row = cut.rows[i];
      depth[i] = depth[i - row.up] + 1;
      const StringId name = tree_.functions()[row.function].name;
      absl::StrAppend(&text,
                      std::string(static_cast<size_t>(depth[i] - 1), ' '),
                      row.folded > 0 ? absl::StrCat(row.folded, " others")
                                     : std::string(tree_.strings()[name]),
                      "\n");
    }
    return text;
  }
  uint64_t SumOf(EventId event) const {
    uint64_t sum = 0;
    for (const SelfSum& self : sums_) {
      if (self.event == event) sum += self.samples;
    }
    return sum;
  }

  FrameId FrameOf(int number) {
    // Each function is a DSO of its own without symbols.
    while (static_cast<int>(functions_.size()) <= number) {
      Dso dso;
      dso.kind = DsoKind::kAnonymous;
      dso.name = absl::StrCat("f", functions_.size());
      const DsoId id = tables_.AddDso(dso);
      const MappingId mapping = tables_.AddMapping({id, 0, 0x1000, 0});
      functions_.push_back(
          tables_.InternFrame({FrameTable::HashOf(id, 1), 1, id, mapping}));
    }
    return functions_[static_cast<size_t>(number)];
  }

  std::vector<FrameId> functions_;
  CallTree tree_{false};
  HtmlRecording recording_;
  std::vector<SelfSum> sums_;
};

TEST_F(CutTreeTest, AnEventCostsWhatItHas) {
  constexpr EventId kEvents = 40'000;
  std::vector<int> path;
  for (int i = 0; i < 50'000; ++i) path.push_back(i % 2);
  const uint32_t deepest = Node(path);
  PrunedTree cut;
  auto prune = [&] { cut = PruneTree(); };
  AddSum(deepest, 1, 0);
  const double one = CpuSecondsOf(prune);
  for (EventId event = 1; event < kEvents; ++event) AddSum(deepest, 1, event);
  const double all = CpuSecondsOf(prune);
  // If each went through the tree, they would take 40,000 times as long.
  EXPECT_LT(all, 100 * one);
  EXPECT_EQ(cut.rows.size(), path.size() + 1);
  EXPECT_EQ(SumOf(kEvents - 1), 1u);
}

TEST_F(CutTreeTest, SiblingsAreOrderedBySize) {
  AddSum(Node({0, 1}), 10);
  AddSum(Node({0, 2}), 30);
  AddSum(Node({3}), 15);
  AddSum(Node({0}), 1);
  const PrunedTree cut = PruneTree();
  EXPECT_EQ(Shown(cut),
            "[f0]\n"
            " [f2]\n"
            " [f1]\n"
            "[f3]\n");
  EXPECT_EQ(cut.folded, 0u);
  EXPECT_EQ(SumOf(0), 56u);
  ASSERT_EQ(sums_.size(), 4u);
  EXPECT_EQ(sums_[1].node, 2u);
  EXPECT_EQ(sums_[1].samples, 30u);
}

TEST_F(CutTreeTest, SmallNodesAreFolded) {
  AddSum(Node({0, 1}), 1'000'000);
  AddSum(Node({0, 2, 3}), 40);
  AddSum(Node({0, 2, 4}), 9);
  AddSum(Node({0, 5}), 49);
  AddSum(Node({0, 6}), 51);
  const PrunedTree cut = PruneTree();
  EXPECT_EQ(Shown(cut),
            "[f0]\n"
            " [f1]\n"
            " [f6]\n"
            " 4 others\n");
  EXPECT_EQ(cut.folded, 4u);
  EXPECT_EQ(SumOf(0), 1'000'149u);
  EXPECT_EQ(sums_.back().node, 4u);
  EXPECT_EQ(sums_.back().samples, 98u);
}

TEST_F(CutTreeTest, OneSmallNodeKeepsItsName) {
  AddSum(Node({0, 1}), 1'000'000);
  AddSum(Node({0, 2}), 1);
  EXPECT_EQ(Shown(PruneTree()),
            "[f0]\n"
            " [f1]\n"
            " [f2]\n");
}

TEST_F(CutTreeTest, WhatIsLargeForOneEventStays) {
  AddSum(Node({0}), 1'000'000);
  AddSum(Node({1, 2}), 3, /*event=*/1);
  AddSum(Node({3}), 2);
  AddSum(Node({4}), 2);
  EXPECT_EQ(Shown(PruneTree()),
            "[f0]\n"
            "[f1]\n"
            " [f2]\n"
            "2 others\n");
  EXPECT_EQ(SumOf(1), 3u);
}

}  // namespace
}  // namespace perf2x
