// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/stack_functions.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "converter/emit/registry.h"
#include "converter/emit/used_stacks.h"
#include "tests/support/small_trace.h"

namespace perf2x {
namespace {

class StackFunctionsTest : public SmallTrace {
 protected:
  // Frames with kDeep functions of which the bound has room for.
  static constexpr size_t kFit = StackFunctions::kMax / kDeep;

  StackFunctionsTest() { AddFrame("deep", app_, kDeepAddress); }

  std::vector<FrameId> Frames(size_t count, const std::string& name) {
    std::vector<FrameId> frames;
    tables_.FramesOf(Stack(std::vector<std::string>(count, name)), &frames);
    return frames;
  }
  // Returns the sum of the counts of all diagnostics.
  uint64_t Counted() const {
    uint64_t sum = 0;
    for (const auto& [what, entry] : diagnostics_.entries()) {
      sum += entry.count;
    }
    return sum;
  }
};

TEST_F(StackFunctionsTest, InnerFramesOfAVeryLargeStackAreFlat) {
  Budget budget;
  StackFunctions functions(tables_, budget, &diagnostics_);
  EXPECT_EQ(functions.CountFlatFrames(Frames(kFit, "deep")), 0u);
  EXPECT_EQ(budget.used(Budget::kWork), kFit * kDeep);
  EXPECT_EQ(functions.CountFlatFrames(Frames(100, "deep")), 100 - kFit);
  EXPECT_EQ(budget.used(Budget::kWork), 2 * kFit * kDeep + 100 - kFit);
  EXPECT_EQ(functions.CountFlatFrames(Frames(100'000, "sort")),
            100'000 - StackFunctions::kMax / 2);
  functions.Report();
  EXPECT_EQ(diagnostics_.entries().size(), 1u);
  EXPECT_EQ(Counted(), 2u);
}

TEST_F(StackFunctionsTest, FramesWithoutInlinedFunctionsAreNotFlat) {
  StackFunctions functions(tables_, Budget::Unlimited(), &diagnostics_);
  EXPECT_EQ(functions.CountFlatFrames(Frames(100'000, "main")), 0u);
  functions.Report();
  EXPECT_TRUE(diagnostics_.entries().empty());
}

TEST_F(StackFunctionsTest, AnExhaustedBudgetLeavesOnlyFlatFrames) {
  Budget budget({{{1 << 20, 0}, {100'000, 0}, {1 << 20, 0}}});
  StackFunctions functions(tables_, budget, &diagnostics_);
  EXPECT_EQ(functions.CountFlatFrames(Frames(60, "deep")), 0u);
  EXPECT_EQ(functions.CountFlatFrames(Frames(60, "deep")), 0u);
  EXPECT_STREQ(budget.exhausted_name(), "work");
  EXPECT_EQ(functions.CountFlatFrames(Frames(60, "deep")), 60u);
  functions.Report();
  EXPECT_EQ(Counted(), 1u);
}

TEST_F(StackFunctionsTest, ATreeHasTheSameFlatFrames) {
  UsedStacks stacks(tables_, Budget::Unlimited(), &diagnostics_);
  const StackId stack = Stack(std::vector<std::string>(100, "deep"));
  stacks.Use(stack);
  Pipeline pipeline(1);
  stacks.Finish(pipeline);
  size_t functions = 0;
  for (StackTree::NodeId node = stacks.NodeOf(stack); node != kNoId;
       node = stacks.tree().parent(node)) {
    functions += stacks.LinesOf(node).size();
  }
  EXPECT_EQ(functions, kFit * kDeep + 100 - kFit);
  EXPECT_EQ(Counted(), 100 - kFit);
}

TEST_F(StackFunctionsTest, ATreeHasNoMoreFunctionsThanMemoryIsLeft) {
  Budget budget({{{2 << 20, 0}, {1 << 30, 0}, {1 << 30, 0}}});
  budget.ReleaseReserve();
  UsedStacks stacks(tables_, budget, &diagnostics_);
  const StackId stack = Stack(std::vector<std::string>(60, "deep"));
  stacks.Use(stack);
  Pipeline pipeline(1);
  stacks.Finish(pipeline);
  size_t flat = 0;
  for (StackTree::NodeId node = 0; node < stacks.tree().size(); ++node) {
    flat += stacks.is_flat(node);
  }
  EXPECT_GE(flat, 60 - (2 << 20) / 128 / kDeep - 1);
  EXPECT_LT(flat, 60u);
  EXPECT_EQ(Counted(), flat);
}

class StackFormatsTest : public StackFunctionsTest,
                         public testing::WithParamInterface<std::string> {};

TEST_P(StackFormatsTest, VeryLargeStacksHaveABoundedOutput) {
  Budget& budget = Limit();
  const EmitterInfo* const info = FindEmitter(GetParam());
  ASSERT_NE(info, nullptr);
  const EventId event = AddEvent("cpu-clock", "nanoseconds");
  const ThreadId thread = AddThread(1, 1, "a", "a");
  ASSERT_TRUE(Begin(*info).ok());
  std::vector<std::string> frames(2000, "deep");
  for (uint64_t i = 0; i < 40; ++i) {
    frames.push_back(i % 2 == 0 ? "main" : "memcpy");  // a new root
    Add(event, thread, Stack(frames), 1, 1000 * i);
  }
  budget.ReleaseReserve();
  EXPECT_TRUE(Finish().ok());
  size_t size = 0;
  for (const auto& [name, text] : outputs_) size += text.size();
  EXPECT_GT(size, 0u);
  // All 80 million functions would be some hundred megabytes to gigabytes.
  EXPECT_LT(size, 320'000'000u);
  EXPECT_GT(Counted(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Formats, StackFormatsTest,
                         testing::Values("chrome", "csv", "firefox", "folded",
                                         "parquet", "perfetto", "speedscope"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace perf2x
