// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/html/sample_log.h"

#include <gtest/gtest.h>

#include <limits>

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
  log.Compact();
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

TEST_F(SampleLogTest, LateSamplesJoinTheirBin) {
  SampleLog log(budget_);
  log.Add(At(9 * kBin));
  log.Add(At(7 * kBin));
  log.Add(At(9 * kBin));
  log.Add(At(7 * kBin));
  log.Compact();
  ASSERT_EQ(log.entries().size(), 2u);
  EXPECT_EQ(log.entries()[0].bin + log.origin(), 7);
  EXPECT_EQ(log.entries()[1].bin + log.origin(), 9);
}

TEST_F(SampleLogTest, BinsBecomeWiderWhenEntriesAreTooMany) {
  SampleLog log(budget_, /*max_entries=*/64);
  for (uint64_t i = 0; i < 10'000; ++i) log.Add(At((3 + i) * kBin));
  EXPECT_LE(log.entries().size(), 64u);
  log.Compact();
  EXPECT_EQ(Samples(log), 10'000u);
  EXPECT_GE(log.shift(), 8);
  // The first and the last bin are where they were.
  EXPECT_EQ(log.entries().front().bin + log.origin(), 3 >> log.shift());
  EXPECT_EQ(log.entries().back().bin + log.origin(), 10'002 >> log.shift());
}

TEST_F(SampleLogTest, WhatDiffersInMoreThanTimeIsKept) {
  SampleLog log(budget_, /*max_entries=*/64);
  for (uint32_t i = 0; i < 1000; ++i) log.Add(At(i * kBin, i));
  log.Compact();
  EXPECT_EQ(log.entries().size(), 1000u);
  EXPECT_EQ(Samples(log), 1000u);
}

TEST_F(SampleLogTest, TimesMayBeFarApart) {
  SampleLog log(budget_);
  log.Add(At(std::numeric_limits<uint64_t>::max()));
  log.Add(At(0));
  log.Add(At(1 << 20));
  log.Compact();
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
