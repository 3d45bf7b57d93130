// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/html/sample_log.h"

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <vector>

namespace perf2x {
namespace {

constexpr uint64_t kBin = SampleLog::kFinestBin;

class SampleLogTest : public ::testing::Test {
 protected:
  static Sample At(std::optional<uint64_t> time, StackId stack = 0,
                   int32_t cpu = 0) {
    Sample sample;
    sample.time = time;
    sample.stack = stack;
    sample.cpu = cpu;
    sample.period = 10;
    return sample;
  }
  // Places are stacks.
  static void Finish(SampleLog& log) {
    std::vector<uint32_t> places(2000);
    std::iota(places.begin(), places.end(), 0);
    log.Finish(places);
  }
  uint64_t Samples(SampleLog& log) {
    uint64_t sum = 0;
    for (const SampleEntry& entry : log.entries()) sum += entry.samples;
    return sum;
  }
  Budget& budget_ = Budget::Unlimited();
};

TEST_F(SampleLogTest, SumsSamplesOfABinALaneAndAPlace) {
  SampleLog log(budget_);
  log.Add(At(5 * kBin));
  log.Add(At(5 * kBin + 1));
  log.Add(At(5 * kBin + 2, 1));
  log.Add(At(5 * kBin + 3, 0, 1));
  log.Add(At(6 * kBin));
  log.Add(At({}));
  Finish(log);
  ASSERT_EQ(log.entries().size(), 5u);
  EXPECT_EQ(log.origin(), 5);
  EXPECT_EQ(log.entries()[0].samples, 2u);
  EXPECT_EQ(log.entries()[0].period, 20u);
  EXPECT_EQ(log.entries()[0].bin, 0);
  EXPECT_EQ(log.entries()[1].place, 1u);
  EXPECT_EQ(log.lanes()[log.entries()[2].lane].cpu, 1);
  EXPECT_EQ(log.entries()[3].bin, 1);
  EXPECT_EQ(log.entries()[4].bin, SampleLog::kNoBin);
}

TEST_F(SampleLogTest, CountsMayExceedThoseOfAnEntry) {
  SampleLog log(budget_);
  Sample many = At(5 * kBin);
  many.count = (uint64_t{5} << 32) + 7;
  log.Add(many);
  log.Add(many);
  Finish(log);
  EXPECT_EQ(Samples(log), 2 * many.count);
  uint64_t period = 0;
  for (const SampleEntry& entry : log.entries()) period += entry.period;
  EXPECT_EQ(period, 20u);
  EXPECT_EQ(log.uncounted(), 0u);
}

TEST_F(SampleLogTest, TellsWhatItCouldNotCount) {
  SampleLog log(budget_);
  Sample most = At(5 * kBin);
  most.count = std::numeric_limits<uint64_t>::max() / 2;
  log.Add(most);
  Finish(log);
  EXPECT_LE(log.entries().size(), SampleLog::kMaxFurtherEntries + 1);
  EXPECT_GT(log.uncounted(), 0u);
  EXPECT_EQ(Samples(log) + log.uncounted(), most.count);
}

TEST_F(SampleLogTest, LateSamplesJoinTheirBin) {
  SampleLog log(budget_);
  log.Add(At(9 * kBin));
  log.Add(At(7 * kBin));
  log.Add(At(9 * kBin));
  log.Add(At(7 * kBin));
  Finish(log);
  ASSERT_EQ(log.entries().size(), 2u);
  EXPECT_EQ(log.entries()[0].bin + log.origin(), 7);
  EXPECT_EQ(log.entries()[1].bin + log.origin(), 9);
}

TEST_F(SampleLogTest, BinsBecomeWiderWhenEntriesAreTooMany) {
  SampleLog log(budget_, /*max_entries=*/64);
  for (uint64_t i = 0; i < 10'000; ++i) log.Add(At((3 + i) * kBin));
  Finish(log);
  EXPECT_LE(log.entries().size(), 64u);
  EXPECT_EQ(Samples(log), 10'000u);
  EXPECT_GE(log.shift(), 8);
  // The first and the last bin are where they were.
  EXPECT_EQ(log.entries().front().bin + log.origin(), 3 >> log.shift());
  EXPECT_EQ(log.entries().back().bin + log.origin(), 10'002 >> log.shift());
}

TEST_F(SampleLogTest, WhatDiffersInMoreThanTimeIsKept) {
  SampleLog log(budget_, /*max_entries=*/64);
  for (uint32_t i = 0; i < 1000; ++i) log.Add(At(i * kBin, i));
  Finish(log);
  EXPECT_EQ(log.entries().size(), 1000u);
  EXPECT_EQ(Samples(log), 1000u);
}

TEST_F(SampleLogTest, PlacesAreThoseOfTheStacks) {
  SampleLog log(budget_);
  for (uint32_t i = 0; i < 1000; ++i) log.Add(At(kBin, i * 3 % 1000));
  std::set<StackId> stacks;
  log.ForEachStack([&](StackId stack) { stacks.insert(stack); });
  EXPECT_EQ(stacks.size(), 1000u);
  std::vector<uint32_t> places(1000);
  for (uint32_t i = 0; i < 1000; ++i) places[i] = i / 500;
  log.Finish(places);
  ASSERT_EQ(log.entries().size(), 2u);
  EXPECT_EQ(log.entries()[1].place, 1u);
  EXPECT_EQ(log.entries()[1].samples, 500u);
  EXPECT_EQ(log.entries()[1].period, 5000u);
}

TEST_F(SampleLogTest, ManySamplesAreSummedWhileTheyCome) {
  SampleLog log(budget_, /*max_entries=*/100'000);
  for (uint64_t i = 0; i < 3'000'000; ++i) {
    log.Add(At(i * 1000, static_cast<StackId>(i * 7 % 1000), i % 3));
  }
  std::set<StackId> stacks;
  log.ForEachStack([&](StackId stack) { stacks.insert(stack); });
  EXPECT_EQ(stacks.size(), 1000u);
  EXPECT_LE(log.memory(), 12'000'000u);
  Finish(log);
  EXPECT_EQ(Samples(log), 3'000'000u);
  EXPECT_LE(log.entries().size(), 100'000u);
  EXPECT_GT(log.shift(), 0);
}

TEST_F(SampleLogTest, SamplesDifferInEverything) {
  SampleLog log(budget_);
  std::map<std::tuple<int64_t, ThreadId, StackId>, uint64_t> periods;
  uint64_t random = 1;
  for (int i = 0; i < 20'000; ++i) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    Sample sample = At(random >> 30, (random >> 20) % 50);
    sample.thread = (random >> 40) % 20;
    sample.period = random >> (1 + i % 63);
    if (i % 10 == 0) sample.time.reset();
    const int64_t bin =
        sample.time ? static_cast<int64_t>(*sample.time / kBin) : -1;
    uint64_t& sum = periods[{bin, sample.thread, sample.stack}];
    sum = AddPeriods(sum, sample.period);
    log.Add(sample);
  }
  Finish(log);
  EXPECT_EQ(log.shift(), 0);
  ASSERT_EQ(log.entries().size(), periods.size());
  for (const SampleEntry& entry : log.entries()) {
    const int64_t bin =
        entry.bin == SampleLog::kNoBin ? -1 : entry.bin + log.origin();
    const ThreadId thread = log.lanes()[entry.lane].thread;
    EXPECT_EQ(entry.period, (periods[{bin, thread, entry.place}]));
  }
}

TEST_F(SampleLogTest, TimesMayBeFarApart) {
  SampleLog log(budget_);
  log.Add(At(std::numeric_limits<uint64_t>::max()));
  log.Add(At(0));
  log.Add(At(1 << 20));
  Finish(log);
  EXPECT_EQ(Samples(log), 3u);
  const auto distance = log.entries().back().bin - log.entries().front().bin;
  EXPECT_GT(distance, 0);
  EXPECT_LT(distance, SampleLog::kMaxBins);
}

TEST_F(SampleLogTest, PeriodsDoNotOverflow) {
  constexpr uint64_t kMax = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(AddPeriods(kMax - 1, 1), kMax);
  EXPECT_EQ(AddPeriods(kMax, 1), kMax);
  EXPECT_EQ(AddPeriods(~uint64_t{0}, ~uint64_t{0}), kMax);
  EXPECT_EQ(AddPeriods(2, 3), 5u);
}

}  // namespace
}  // namespace perf2x
