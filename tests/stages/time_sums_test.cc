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

// Many batches, in tables that grow.
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

// Runs are added up by thread before they are summed.
TEST(TimeSumsTest, RunsKeepTheirPlaces) {
  constexpr TimeState kRun = TimeState::kRunning;
  TimeSums sums;
  sums.Add({2, 1, 7}, kRun, 1);
  sums.Add({2, 2, 7}, kState, 10);
  sums.Add({2, 1, 7}, kRun, 2);
  sums.Add({2, 1, 8}, kRun, 100);
  sums.Add({1, 1, 7}, kRun, 1000);
  sums.Add({2, 1, 7}, kRun, 4);
  sums.Add({2, 1, 7}, kRun, ~uint64_t{0} - 20);
  sums.Add({1, 1, 7}, kRun, 1000);
  EXPECT_TRUE(sums.AddIfKnown({1, 1, 7}, 5));
  sums.Add({3, 1, 7}, kRun, 3);
  sums.Add({2, 1, 7}, kRun, 40);
  struct Expected {
    TimeSums::Key key;
    uint64_t duration, count;
  };
  const std::vector<Expected> expected = {{{2, 1, 7}, ~uint64_t{0}, 5},
                                          {{2, 2, 7}, 10, 1},
                                          {{2, 1, 8}, 100, 1},
                                          {{1, 1, 7}, 2005, 3},
                                          {{3, 1, 7}, 3, 1}};
  ASSERT_EQ(sums.Sums().size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    const TimeSums::Sum& sum = sums.Sums()[i];
    EXPECT_EQ(sum.key, expected[i].key) << i;
    EXPECT_EQ(sum.duration, expected[i].duration) << i;
    EXPECT_EQ(sum.count, expected[i].count) << i;
  }
  sums.Clear();
  EXPECT_TRUE(sums.Sums().empty());
}

// Another thread may be late; with two threads, the one that reads may help.
TEST(TimeSumsTest, SumsAsideAsHere) {
  for (const int threads : {2, 3}) {
    Pipeline pipeline(threads);
    TimeSums here, aside(&pipeline);
    std::mt19937 random(2);
    for (int i = 0; i < 30000; ++i) {
      const TimeSums::Key key = {static_cast<ThreadId>(random() % 200),
                                 static_cast<TagsId>(random() % 3),
                                 static_cast<StackId>(random() % 3)};
      const auto state = key.tags == 0 ? TimeState::kRunning : kState;
      here.Add(key, state, i);
      aside.Add(key, state, i);
      ASSERT_EQ(here.memory(), aside.memory()) << i;
    }
    ASSERT_EQ(here.Sums().size(), aside.Sums().size());
    for (size_t i = 0; i < here.Sums().size(); ++i) {
      EXPECT_EQ(here.Sums()[i].key, aside.Sums()[i].key);
      EXPECT_EQ(here.Sums()[i].state(), aside.Sums()[i].state());
      EXPECT_EQ(here.Sums()[i].duration, aside.Sums()[i].duration);
      EXPECT_EQ(here.Sums()[i].count, aside.Sums()[i].count);
    }
  }
}

}  // namespace
}  // namespace perf2x
