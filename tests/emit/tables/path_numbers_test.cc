// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/tables/path_numbers.h"

#include <string>
#include <vector>

#include "tests/support/small_trace.h"

namespace perf2x {
namespace {

class PathNumbersTest : public SmallTrace {};

TEST_F(PathNumbersTest, EqualPathsHaveOneNumber) {
  Budget budget;
  PathNumbers numbers(tables_, budget);
  EXPECT_EQ(numbers.PathOf(Stack({"sort", "main"})).number, 0u);
  EXPECT_EQ(numbers.PathOf(Stack({"main"})).number, 1u);
  EXPECT_EQ(numbers.PathOf(Stack({"sort", "main"}, 1)).number, 0u);
  // "sort" is inlined into another "main".
  EXPECT_EQ(numbers.SitesOf(0).size(), 3u);
}

TEST_F(PathNumbersTest, OneLongPathIsCharged) {
  constexpr size_t kFrames = 100'000;
  Budget budget;
  PathNumbers numbers(tables_, budget);
  numbers.PathOf(Stack(std::vector<std::string>(kFrames, "sort")));
  EXPECT_GT(budget.used(Budget::kMemory), 2 * kFrames * sizeof(uint32_t));
}

}  // namespace
}  // namespace perf2x
