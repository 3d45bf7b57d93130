// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/html/entry_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/html_page.h"

namespace perf2x {
namespace {

// A recording of two events and three threads, with periods that differ.
HtmlRecording Recording(int32_t bins) {
  HtmlRecording out;
  out.origin = 1001;
  for (uint32_t thread = 0; thread < 3; ++thread) {
    for (EventId event = 0; event < 2; ++event) {
      out.lanes.push_back({event, thread, static_cast<int32_t>(thread) - 1});
    }
  }
  uint64_t random = 1;
  for (int32_t bin = 0; bin < bins; ++bin) {
    for (uint32_t lane = 0; lane < out.lanes.size(); ++lane) {
      for (int i = 0; i < 4; ++i) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        out.entries.push_back({bin, lane, static_cast<uint32_t>(random >> 55),
                               1, 1'000'000 + (random >> 40) % 500'000});
      }
    }
  }
  out.entries.push_back({SampleLog::kNoBin, 0, 0, 7, 77});
  return out;
}

using EntrySums =
    std::map<std::pair<uint64_t, uint64_t>, std::pair<uint64_t, uint64_t>>;

EntrySums SumsOf(const HtmlRecording& recording) {
  EntrySums sums;
  for (const SampleEntry& entry : recording.entries) {
    const SampleLane& lane = recording.lanes[entry.lane];
    auto& sum = sums[{lane.event, lane.thread}];
    sum.first += entry.samples;
    sum.second += entry.period;
  }
  return sums;
}

PageBlock BlockOf(EntryTable* table) {
  ColumnBlock block;
  table->MoveTo(&block);
  std::string bytes;
  EXPECT_TRUE(block.WriteTo(*MakeStringOutput(&bytes)).ok());
  return *PageBlock::Parse(bytes);
}

// Returns the sums of the groups, and checks those of their entries.
EntrySums SumsIn(const PageBlock& block, const std::vector<uint64_t>& units) {
  EntrySums sums;
  size_t at = 0;
  for (size_t g = 0; g < block["group.event"].size(); ++g) {
    const uint64_t event = block["group.event"][g];
    uint64_t samples = 0, period = 0;
    for (uint64_t i = 0; i < block["group.entries"][g]; ++i, ++at) {
      samples += block["entry.samples"][at];
      period += block["entry.samples"][at] * block["group.least"][g] +
                block["entry.extra"][at] * units[event];
    }
    EXPECT_EQ(samples, block["group.samples"][g]);
    EXPECT_LE(period, block["group.period"][g]);
    EXPECT_LT(block["group.period"][g] - period, units[event]);
    sums[{event, block["group.thread"][g]}] = {samples,
                                               block["group.period"][g]};
  }
  return sums;
}

constexpr uint64_t kAny = 1 << 30;

// The page has a row for each CPU, however large its number is.
TEST(EntryTableTest, CpusAreThoseOfSamples) {
  HtmlRecording recording = Recording(1);
  constexpr int32_t kCpus[] = {-2, 2147483647, 100'000'000, -1, 7, 7};
  for (size_t lane = 0; lane < recording.lanes.size(); ++lane) {
    recording.lanes[lane].cpu = kCpus[lane];
  }
  EntryTable table(&recording, 2);
  table.Fit(kAny);
  EXPECT_THAT(table.cpus(), testing::ElementsAre(7, 100'000'000, 2147483647));
  const PageBlock block = BlockOf(&table);
  EXPECT_EQ(block["entry.cpu"].size(), table.entries());
  EXPECT_THAT(
      std::set<uint64_t>(block["entry.cpu"].begin(), block["entry.cpu"].end()),
      testing::ElementsAre(0, 1, 2, 3));
}

TEST(EntryTableTest, WithRoomEntriesAreExact) {
  HtmlRecording recording = Recording(50);
  const EntrySums sums = SumsOf(recording);
  EntryTable table(&recording, 2);
  table.Fit(kAny);
  EXPECT_EQ(table.bin_shift(), 0);
  EXPECT_EQ(table.bins(), 50u);
  EXPECT_EQ(table.start(), 1001 * SampleLog::kFinestBin);
  EXPECT_THAT(table.cpus(), testing::ElementsAre(0, 1));
  EXPECT_EQ(table.rounding_units(), std::vector<uint64_t>({1, 1}));
  const PageBlock block = BlockOf(&table);
  EXPECT_EQ(SumsIn(block, {1, 1}), sums);
  // Entries of a group are ordered; the one without a time is the last.
  EXPECT_EQ(block["entry.bin"][block["group.entries"][0] - 1], 50u);
  EXPECT_EQ(block["entry.bin"][0], 0u);
}

TEST(EntryTableTest, PeriodsAreRoundedBeforeBinsBecomeWider) {
  HtmlRecording recording = Recording(2000);
  const EntrySums sums = SumsOf(recording);
  EntryTable exact(&recording, 2);
  exact.Fit(kAny);
  HtmlRecording again = Recording(2000);
  EntryTable table(&again, 2);
  table.Fit(150'000);
  EXPECT_EQ(table.bin_shift(), 0);
  EXPECT_GT(table.rounding_units()[0], 1u);
  EXPECT_EQ(table.entries(), exact.entries());
  const std::vector<uint64_t> units = table.rounding_units();
  EXPECT_EQ(SumsIn(BlockOf(&table), units), sums);
}

TEST(EntryTableTest, BinsBecomeWiderUntilTheyFit) {
  HtmlRecording recording = Recording(2000);
  const EntrySums sums = SumsOf(recording);
  EntryTable table(&recording, 2);
  table.Fit(20'000);
  EXPECT_GT(table.bin_shift(), 0);
  EXPECT_LT(table.bins(), 2000u);
  EXPECT_GE(uint64_t{table.bins()} << table.bin_shift(), 2000u);
  // The first bin begins at or before the first sample, on a multiple.
  EXPECT_LE(table.start(), 1001 * SampleLog::kFinestBin);
  EXPECT_EQ(table.start() % (SampleLog::kFinestBin << table.bin_shift()), 0u);
  const std::vector<uint64_t> units = table.rounding_units();
  EXPECT_EQ(SumsIn(BlockOf(&table), units), sums);
}

TEST(EntryTableTest, EntriesAreBounded) {
  HtmlRecording recording = Recording(500);
  EntryTable table(&recording, 2);
  const size_t all = table.entries();
  table.Fit(kAny, all / 2);
  EXPECT_LE(table.entries(), all / 2);
}

TEST(EntryTableTest, WhatCannotBecomeSmallerIsKept) {
  HtmlRecording recording = Recording(3);
  const EntrySums sums = SumsOf(recording);
  EntryTable table(&recording, 2);
  table.Fit(1, 1);
  EXPECT_EQ(table.bins(), 1u);
  const std::vector<uint64_t> units = table.rounding_units();
  EXPECT_EQ(SumsIn(BlockOf(&table), units), sums);
}

TEST(EntryTableTest, WithoutTimesThereAreNoBins) {
  HtmlRecording recording;
  recording.lanes = {{0, 0, -1}};
  recording.entries = {{SampleLog::kNoBin, 0, 1, 2, 20}};
  EntryTable table(&recording, 1);
  table.Fit(kAny);
  EXPECT_EQ(table.bins(), 0u);
  EXPECT_EQ(table.totals()[0].samples, 2u);
  EXPECT_EQ(BlockOf(&table)["entry.bin"], std::vector<uint64_t>({0}));
}

}  // namespace
}  // namespace perf2x
