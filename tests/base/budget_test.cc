// SPDX-License-Identifier: Apache-2.0
#include "converter/base/budget.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "converter/base/output.h"

namespace perf2x {
namespace {

constexpr uint64_t kFloor = Budget::kRules[Budget::kWork].floor;
constexpr uint64_t kPerByte = Budget::kRules[Budget::kWork].per_byte;

TEST(BudgetTest, KeepsAQuarterForWhatComesAfterTheRecords) {
  Budget budget;
  budget.Spend(Budget::kWork, kFloor / 4 * 3);
  EXPECT_FALSE(budget.exhausted());
  EXPECT_STREQ(budget.exhausted_name(), "");
  budget.Spend(Budget::kWork, 1);
  EXPECT_TRUE(budget.exhausted());
  EXPECT_STREQ(budget.exhausted_name(), "work");
  budget.ReleaseReserve();
  EXPECT_FALSE(budget.exhausted());
  budget.Spend(Budget::kWork, kFloor / 4);
  EXPECT_FALSE(budget.exhausted());
  budget.Spend(Budget::kWork, kFloor);
  EXPECT_TRUE(budget.exhausted());
}

TEST(BudgetTest, GrowsWithTheInput) {
  Budget budget;
  const uint64_t size = 10 * (kFloor / kPerByte);
  budget.AddInput(size);
  budget.ReleaseReserve();
  budget.Spend(Budget::kWork, size * kPerByte);
  EXPECT_FALSE(budget.exhausted());
  budget.Spend(Budget::kWork, 1);
  EXPECT_TRUE(budget.exhausted());
}

// What is read of a pipe is known only as it comes.
TEST(BudgetTest, FollowsAnInputThatGrows) {
  Budget budget;
  const auto size = std::make_shared<std::atomic<uint64_t>>(0);
  budget.AddInput(size);
  for (int i = 1; i <= 100; ++i) {
    *size += kFloor / kPerByte * 4;
    budget.Spend(Budget::kWork, kFloor * 3);
    ASSERT_FALSE(budget.exhausted()) << i;
  }
  budget.Spend(Budget::kWork, kFloor);
  EXPECT_TRUE(budget.exhausted());
}

TEST(BudgetTest, MemoryIsGivenBack) {
  Budget budget;
  const uint64_t most = Budget::kRules[Budget::kMemory].floor / 2;
  for (int i = 0; i < 100; ++i) {
    Budget::Share share(budget);
    share.Set(most / 2);
    share.Set(most);
    EXPECT_EQ(share.held(), most);
    EXPECT_EQ(budget.used(Budget::kMemory), most);
    share.Set(most / 4);
  }
  EXPECT_EQ(budget.used(Budget::kMemory), 0u);
  EXPECT_FALSE(budget.exhausted());
}

TEST(BudgetTest, AnyThreadMaySpend) {
  Budget budget;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 1000; ++k) budget.Spend(Budget::kOutput, 1);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(budget.used(Budget::kOutput), 4000u);
}

TEST(BudgetTest, OutputsAreAccountedFor) {
  Budget budget;
  std::string out;
  const auto output = MakeMeteredOutput(MakeStringOutput(&out), budget);
  ASSERT_TRUE(output->Write("12345").ok());
  ByteBuffer buffer;
  buffer.Append("678");
  ASSERT_TRUE(output->WriteBuffer(buffer).ok());
  ASSERT_TRUE(output->Close().ok());
  EXPECT_EQ(out, "12345678");
  EXPECT_EQ(budget.used(Budget::kOutput), 8u);
}

TEST(BudgetTest, TheUnlimitedOneIsNeverExhausted) {
  Budget::Unlimited().Spend(Budget::kWork, uint64_t{1} << 60);
  EXPECT_FALSE(Budget::Unlimited().exhausted());
}

TEST(BudgetTest, WhatIsLeftOutIsCounted) {
  Diagnostics diagnostics;
  CountSkippedForBudget("row", "memory", 0, &diagnostics);
  EXPECT_TRUE(diagnostics.entries().empty());
  CountSkippedForBudget("row", "memory", 7, &diagnostics);
  EXPECT_TRUE(diagnostics.lossy());
  EXPECT_EQ(diagnostics.entries().begin()->second.count, 7u);
}

}  // namespace
}  // namespace perf2x
