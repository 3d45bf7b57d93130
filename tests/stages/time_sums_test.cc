// SPDX-License-Identifier: Apache-2.0
#include "converter/stages/time_sums.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace perf2x {
namespace {

constexpr TimeState kState = TimeState::kSleeping;

TEST(TimeSumsTest, SumsUpByTheWholeKey) {
  const std::vector<TimeSums::Key> keys = {
      {3, 1, kNoId}, {4, 1, kNoId}, {3, 2, kNoId}, {3, 1, 0}, {3, 1, 5}};
  TimeSums sums;
  for (int round = 0; round < 3; ++round) {
    for (size_t i = 0; i < keys.size(); ++i) sums.Add(keys[i], kState, i + 1);
  }
  ASSERT_EQ(sums.Sums().size(), keys.size());
  for (size_t i = 0; i < keys.size(); ++i) {
    const TimeSums::Sum& sum = sums.Sums()[i];
    EXPECT_EQ(sum.key, keys[i]);
    EXPECT_EQ(sum.state(), kState);
    EXPECT_EQ(sum.count, 3u);
    EXPECT_EQ(sum.duration, 3 * (i + 1));
  }
}

TEST(TimeSumsTest, AddsOnlyToKnownSumsIfAsked) {
  TimeSums sums;
  EXPECT_FALSE(sums.AddIfKnown({1, 1, 1}, 5));
  sums.Add({1, 1, 1}, kState, 5);
  EXPECT_TRUE(sums.AddIfKnown({1, 1, 1}, ~uint64_t{0}));
  EXPECT_FALSE(sums.AddIfKnown({1, 1, 2}, 5));
  ASSERT_EQ(sums.Sums().size(), 1u);
  EXPECT_EQ(sums.Sums()[0].count, 2u);
  EXPECT_EQ(sums.Sums()[0].duration, ~uint64_t{0});
}

// Many more than wait, in tables that grow.
TEST(TimeSumsTest, KeepsTheOrderOfAdding) {
  constexpr ThreadId kThreads = 5000;
  TimeSums sums;
  for (ThreadId thread = kThreads; thread-- > 0;) {
    sums.Add({thread, 1, kNoId}, kState, 1);
  }
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    sums.Add({static_cast<ThreadId>(random() % kThreads), 1, kNoId}, kState, 1);
  }
  ASSERT_EQ(sums.Sums().size(), kThreads);
  uint64_t count = 0;
  for (ThreadId i = 0; i < kThreads; ++i) {
    const TimeSums::Sum& sum = sums.Sums()[i];
    EXPECT_EQ(sum.key.thread, kThreads - 1 - i);
    EXPECT_EQ(sum.duration, sum.count);
    count += sum.count;
  }
  EXPECT_EQ(count, kThreads + 20000u);
  EXPECT_GE(sums.memory(), kThreads * (sizeof(TimeSums::Sum) + 8));
}

}  // namespace
}  // namespace perf2x
