// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/branch_profiles/disjoint_ranges.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"

namespace perf2x {
namespace {

std::string Split(const std::vector<CodeCounts::Count>& ranges) {
  std::string text;
  for (const auto& [from, to, count] : DisjointRanges(ranges)) {
    absl::StrAppend(&text, from, "-", to, ":", count, " ");
  }
  return text;
}

TEST(DisjointRangesTest, OverlapsHaveTheSumOfBoth) {
  EXPECT_EQ(Split({{10, 20, 100}, {10, 30, 200}}), "10-20:300 21-30:200 ");
  EXPECT_EQ(Split({{10, 20, 100}, {20, 30, 200}}),
            "10-19:100 20-20:300 21-30:200 ");
}

TEST(DisjointRangesTest, GapsHaveNone) {
  EXPECT_EQ(Split({{10, 12, 1}, {20, 22, 2}}), "10-12:1 20-22:2 ");
}

TEST(DisjointRangesTest, ZerosFillGaps) {
  EXPECT_EQ(Split({{10, 12, 1}, {20, 22, 2}, {8, 24, 0}}),
            "8-9:0 10-12:1 13-19:0 20-22:2 23-24:0 ");
}

TEST(DisjointRangesTest, DamageIsSkipped) {
  EXPECT_EQ(Split({{10, 9, 1}, {10, ~uint64_t{0}, 1}}), "");
}

}  // namespace
}  // namespace perf2x
