// SPDX-License-Identifier: Apache-2.0
#include "converter/compare/comparison_sums.h"

#include <gtest/gtest.h>

#include <map>

#include "tests/support/small_trace.h"

namespace perf2x {
namespace {

class ComparisonSumsTest : public SmallTrace {
 protected:
  ComparisonSumsTest() : clock_(AddEvent("cpu-clock")) {}
  void Add(ComparisonSums& sums, StackId stack, uint64_t period,
           std::optional<uint64_t> time = {}) {
    Sample sample;
    sample.event = clock_;
    sample.stack = stack;
    sample.period = period;
    sample.time = time;
    sums.Add(sample);
  }
  std::map<std::string, FunctionSums> ByName(ComparisonSums& sums) {
    WorkerPool workers(1);
    std::map<std::string, FunctionSums> out;
    for (FunctionSums& one : sums.ByFunction(clock_, workers)) {
      const std::string name = one.name;
      EXPECT_TRUE(out.try_emplace(name, std::move(one)).second) << name;
    }
    return out;
  }

  const EventId clock_;
};

TEST_F(ComparisonSumsTest, SumsSelfAndTotalByRecording) {
  ComparisonSums sums(tables_, 2, false, Budget::Unlimited(), nullptr);
  Add(sums, Stack({"memcpy", "sort", "main"}), 10);
  Add(sums, Stack({"main", "main"}), 1);
  sums.BeginRecording(1);
  Add(sums, Stack({"sort", "main"}), 20);
  EXPECT_EQ(sums.SumsOf(clock_), (std::vector<uint64_t>{11, 20}));
  EXPECT_EQ(sums.SamplesOf(clock_), (std::vector<uint64_t>{2, 1}));
  auto functions = ByName(sums);
  using Values = std::vector<uint64_t>;
  EXPECT_EQ(functions["memcpy"].self, (Values{10, 0}));
  EXPECT_EQ(functions["sort(int*)"].self, (Values{0, 20}));
  EXPECT_EQ(functions["sort(int*)"].total, (Values{10, 20}));
  EXPECT_EQ(functions["main"].self, (Values{1, 0}));
  EXPECT_EQ(functions["main"].total, (Values{11, 20}));  // recursion: once
}

TEST_F(ComparisonSumsTest, BlocksOfTimeDoubleUntilTheRecordingFits) {
  ComparisonSums sums(tables_, 1, true, Budget::Unlimited(), nullptr);
  const StackId main = Stack({"main"});
  constexpr uint64_t kStep = 1 << 20;
  for (uint64_t i = 0; i < 128; ++i) Add(sums, main, 1, 5 + i * kStep);
  EXPECT_EQ(sums.BlocksOf(0), 64u);
  EXPECT_EQ(ByName(sums)["main"].self,
            std::vector<uint64_t>(ComparisonSums::kBlocks, 2));
}

// A function takes memory for each column.
TEST_F(ComparisonSumsTest, FunctionsAreChargedAndStacksSkipped) {
  // Enough for the stacks and their frames, not for two functions more, each of
  // which takes 16 bytes a column.
  constexpr uint64_t kMemory = 3300;
  Budget budget({{{kMemory, 0}, {1'000'000, 0}, {1000, 0}}});
  Diagnostics diagnostics;
  ComparisonSums sums(tables_, 1, true, budget, &diagnostics);
  AddFrame("deep", app_, kDeepAddress);
  Add(sums, Stack({"deep", "main"}), 1, 0);
  Add(sums, Stack({"sort", "main"}), 1, 0);
  budget.ReleaseReserve();
  EXPECT_GT(ByName(sums).size(), 0u);
  ASSERT_EQ(diagnostics.entries().size(), 1u);
  const auto& [message, entry] = *diagnostics.entries().begin();
  EXPECT_EQ(entry.count, 2u);
  EXPECT_NE(message.find("stack of the comparison"), std::string::npos)
      << message;
}

TEST_F(ComparisonSumsTest, NamesTheResourceThatEnded) {
  Budget budget({{{1000, 0}, {1000, 0}, {1000, 0}}});
  Diagnostics diagnostics;
  ComparisonSums sums(tables_, 1, false, budget, &diagnostics);
  budget.Spend(Budget::kWork, 1000);
  Add(sums, Stack({"main"}), 1);
  Add(sums, Stack({"main"}), 1);
  budget.ReleaseReserve();
  EXPECT_TRUE(ByName(sums).empty());
  ASSERT_EQ(diagnostics.entries().size(), 1u);
  const auto& [message, entry] = *diagnostics.entries().begin();
  EXPECT_EQ(entry.count, 2u);
  EXPECT_NE(message.find(" work "), std::string::npos) << message;
}

}  // namespace
}  // namespace perf2x
