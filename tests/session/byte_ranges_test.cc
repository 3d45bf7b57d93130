// SPDX-License-Identifier: Apache-2.0
#include "converter/session/byte_ranges.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace perf2x {
namespace {

using Ranges = std::vector<std::pair<uint64_t, uint64_t>>;

Ranges NewOf(ByteRanges* set, uint64_t start, uint64_t end, uint64_t* known) {
  Ranges found;
  *known = set->Add(start, end, [&](uint64_t from, uint64_t to) {
    found.emplace_back(from, to);
  });
  return found;
}

Ranges GapsOf(const ByteRanges& set, uint64_t start, uint64_t end) {
  Ranges found;
  set.ForEachGap(start, end, [&](uint64_t from, uint64_t to) {
    found.emplace_back(from, to);
  });
  return found;
}

TEST(ByteRangesTest, NewPartsAndKnownBytes) {
  ByteRanges set;
  uint64_t known = 1;
  EXPECT_EQ(set.end(), 0u);
  EXPECT_EQ(NewOf(&set, 10, 20, &known), (Ranges{{10, 20}}));
  EXPECT_EQ(known, 0u);
  EXPECT_EQ(NewOf(&set, 20, 30, &known), (Ranges{{20, 30}}));
  EXPECT_EQ(known, 0u);
  EXPECT_EQ(set.size(), 1u);
  EXPECT_EQ(NewOf(&set, 40, 50, &known), (Ranges{{40, 50}}));
  EXPECT_EQ(NewOf(&set, 12, 18, &known), Ranges());
  EXPECT_EQ(known, 6u);
  EXPECT_EQ(NewOf(&set, 5, 60, &known), (Ranges{{5, 10}, {30, 40}, {50, 60}}));
  EXPECT_EQ(known, 30u);
  EXPECT_EQ(set.size(), 1u);
  EXPECT_EQ(set.end(), 60u);
}

TEST(ByteRangesTest, GapsAndRemovedParts) {
  ByteRanges set;
  uint64_t known = 0;
  NewOf(&set, 10, 20, &known);
  NewOf(&set, 30, 40, &known);
  EXPECT_EQ(GapsOf(set, 0, 50), (Ranges{{0, 10}, {20, 30}, {40, 50}}));
  EXPECT_EQ(GapsOf(set, 12, 18), Ranges());
  EXPECT_EQ(GapsOf(set, 15, 25), (Ranges{{20, 25}}));
  EXPECT_TRUE(set.Contains(10, 20));
  EXPECT_FALSE(set.Contains(10, 21));
  EXPECT_FALSE(set.Contains(9, 12));
  set.Remove(15, 32);
  EXPECT_EQ(GapsOf(set, 0, 50), (Ranges{{0, 10}, {15, 32}, {40, 50}}));
  set.Remove(11, 12);
  EXPECT_EQ(GapsOf(set, 10, 15), (Ranges{{11, 12}}));
}

TEST(ByteRangesTest, AllRanges) {
  ByteRanges set;
  uint64_t known = 0;
  NewOf(&set, 30, 40, &known);
  NewOf(&set, 10, 20, &known);
  Ranges found;
  set.ForEach(
      [&](uint64_t from, uint64_t to) { found.emplace_back(from, to); });
  EXPECT_EQ(found, (Ranges{{10, 20}, {30, 40}}));
  EXPECT_EQ(set.EndOfRangeAround(9), 9u);
  EXPECT_EQ(set.EndOfRangeAround(10), 10u);
  EXPECT_EQ(set.EndOfRangeAround(11), 20u);
  EXPECT_EQ(set.EndOfRangeAround(20), 20u);
  EXPECT_EQ(set.EndOfRangeAround(25), 25u);
  EXPECT_EQ(set.EndOfRangeAround(39), 40u);
}

}  // namespace
}  // namespace perf2x
