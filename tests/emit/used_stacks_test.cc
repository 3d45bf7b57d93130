// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/used_stacks.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/support/small_trace.h"

namespace perf2x {
namespace {

class UsedStacksTest : public SmallTrace {
 protected:
  // Returns the functions of a stack, the leaf first: "memcpy < main"; "none"
  // for a stack without a node.
  std::string Text(const UsedStacks& stacks, StackId stack) {
    std::string text;
    for (StackTree::NodeId node = stacks.NodeOf(stack); node != kNoId;
         node = stacks.tree().parent(node)) {
      for (const Line& line : tables_.Lines(stacks.tree().frame(node))) {
        absl::StrAppend(
            &text, text.empty() ? "" : " < ",
            tables_.strings[tables_.functions()[line.function].name]);
      }
    }
    return text.empty() ? "none" : text;
  }

  Pipeline workers_{1};
};

TEST_F(UsedStacksTest, HasTheFramesOfTheStacksThatAreUsed) {
  const StackId callee = Stack({"memcpy", "sort", "main"});
  const StackId unused = Stack({"sys_read", "main"});
  const StackId caller = Stack({"sort", "main"});
  UsedStacks stacks(tables_, Budget::Unlimited(), &diagnostics_);
  for (const StackId stack : {caller, callee, caller}) stacks.Use(stack);
  stacks.Finish(workers_);
  EXPECT_EQ(Text(stacks, callee), "memcpy < sort(int*) < main < main");
  EXPECT_EQ(Text(stacks, caller), "sort(int*) < main < main");
  EXPECT_EQ(Text(stacks, unused), "none");
  EXPECT_EQ(Text(stacks, caller + 100), "none");
  // The caller's frames are those of the callee.
  EXPECT_EQ(stacks.tree().size(), 3u);
  EXPECT_TRUE(diagnostics_.entries().empty());
}

TEST_F(UsedStacksTest, ATraceMayHaveNoStacks) {
  UsedStacks stacks(tables_, Budget::Unlimited(), nullptr);
  stacks.Finish(workers_);
  EXPECT_EQ(stacks.NodeOf(0), kNoId);
  EXPECT_EQ(stacks.tree().size(), 0u);
}

TEST_F(UsedStacksTest, AnExhaustedBudgetLeavesOutStacks) {
  Budget budget({{{1000, 0}, {1000, 0}, {1000, 0}}});
  const StackId one = Stack({"main"});
  const StackId two = Stack({"sort", "main"});
  UsedStacks stacks(tables_, budget, &diagnostics_);
  stacks.Use(one);
  stacks.Use(two);
  budget.Spend(Budget::kWork, 1 << 20);
  stacks.Finish(workers_);
  EXPECT_EQ(Text(stacks, one), "none");
  EXPECT_EQ(Text(stacks, two), "none");
  ASSERT_EQ(diagnostics_.entries().size(), 1u);
  EXPECT_EQ(diagnostics_.entries().begin()->second.count, 2u);
}

// Not more than a part, as the stacks that fit are worth nothing if the budget
// is exhausted when they are to be written.
TEST_F(UsedStacksTest, FewLongStacksAreChargedAsTheTreeGrows) {
  Budget budget({{{8 << 20, 0}, {1 << 30, 0}, {1 << 30, 0}}});
  budget.ReleaseReserve();
  UsedStacks stacks(tables_, budget, &diagnostics_);
  std::vector<std::string> frames(10'001, "main");
  for (uint64_t i = 0; i < 200; ++i) {
    frames.back() = absl::StrCat("root", i);
    AddFrame(frames.back(), lib_, i);
    stacks.Use(Stack(frames));
  }
  stacks.Finish(workers_);
  EXPECT_GT(stacks.tree().size(), 50'000u);
  EXPECT_LT(stacks.tree().size(), 400'000u);
  EXPECT_FALSE(diagnostics_.entries().empty());
  EXPECT_FALSE(budget.exhausted());
  EXPECT_GT(budget.left(Budget::kMemory), uint64_t{2} << 20);
}

}  // namespace
}  // namespace perf2x
