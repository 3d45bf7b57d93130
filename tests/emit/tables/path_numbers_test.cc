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
  StackFunctions functions(tables_, budget, nullptr);
  PathNumbers numbers(tables_, functions, budget);
  EXPECT_EQ(numbers.PathOf(Stack({"sort", "main"})).number, 0u);
  EXPECT_EQ(numbers.PathOf(Stack({"main"})).number, 1u);
  EXPECT_EQ(numbers.PathOf(Stack({"sort", "main"}, 1)).number, 0u);
  // "sort" is inlined into another "main".
  EXPECT_EQ(numbers.SitesOf(0).size(), 3u);
}

TEST_F(PathNumbersTest, OneLongPathIsCharged) {
  constexpr size_t kFrames = 100'000;
  Budget budget;
  StackFunctions functions(tables_, budget, nullptr);
  PathNumbers numbers(tables_, functions, budget);
  numbers.PathOf(Stack(std::vector<std::string>(kFrames, "memcpy")));
  EXPECT_GT(budget.used(Budget::kMemory), kFrames * sizeof(uint32_t));
}

TEST_F(PathNumbersTest, InnerFramesOfAVeryLargeStackAreFlat) {
  AddFrame("deep", app_, kDeepAddress);
  StackFunctions functions(tables_, Budget::Unlimited(), nullptr);
  PathNumbers numbers(tables_, functions, Budget::Unlimited());
  const auto path =
      numbers.PathOf(Stack(std::vector<std::string>(100, "deep")));
  EXPECT_EQ(numbers.SitesOf(path.number).size(), 65 * kDeep + 35);
  EXPECT_FALSE(path.sites[0].inlined);
}

}  // namespace
}  // namespace perf2x
