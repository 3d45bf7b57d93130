// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/path_numbers.h"

#include <string>
#include <vector>

#include "tests/support/small_trace.h"

namespace perf2x {
namespace {

class PathNumbersTest : public SmallTrace {};

TEST_F(PathNumbersTest, EqualPathsHaveOneNumber) {
  Budget budget;
  StackFunctions functions(tables_, budget, nullptr);
  PathNumbers numbers(tables_, functions, budget, /*equal_paths_share=*/true);
  EXPECT_EQ(numbers.PathOf(Stack({"sort", "main"})).number, 0u);
  EXPECT_EQ(numbers.PathOf(Stack({"main"})).number, 1u);
  EXPECT_EQ(numbers.PathOf(Stack({"sort", "main"}, 1)).number, 0u);
  // "sort" is inlined into another "main".
  EXPECT_EQ(numbers.SitesOf(0).size(), 3u);
}

TEST_F(PathNumbersTest, StacksHaveTheirOwnPathsIfTheyDoNotShare) {
  StackFunctions functions(tables_, Budget::Unlimited(), nullptr);
  PathNumbers numbers(tables_, functions, Budget::Unlimited(),
                      /*equal_paths_share=*/false);
  const StackId first = Stack({"sort", "main"});
  const StackId second = Stack({"sort", "main"}, 1);
  EXPECT_EQ(numbers.PathOf(first).number, 0u);
  EXPECT_EQ(numbers.PathOf(second).number, 1u);
  EXPECT_EQ(numbers.PathOf(first).number, 0u);
  EXPECT_EQ(numbers.SitesOf(0), numbers.SitesOf(1));
  EXPECT_EQ(numbers.PathOf(first).leaf, numbers.PathOf(second).leaf);
}

// Some stacks repeat, others have a path that another one has; some were
// numbered before.
TEST_F(PathNumbersTest, PathsOfManyStacksAreThoseOfEach) {
  const char* const names[] = {"main", "sort", "memcpy", "sys_read", "?"};
  std::vector<StackId> stacks;
  for (size_t i = 0; i < 300; ++i) {
    stacks.push_back(Stack({names[i % 5], names[i / 5 % 5], "main"},
                           static_cast<AddressSpaceId>(i % 3)));
    if (i % 7 == 0) stacks.push_back(stacks[i / 2]);
  }
  StackFunctions functions(tables_, Budget::Unlimited(), nullptr);
  PathNumbers at_once(tables_, functions, Budget::Unlimited(),
                      /*equal_paths_share=*/true);
  PathNumbers one_by_one(tables_, functions, Budget::Unlimited(),
                         /*equal_paths_share=*/true);
  at_once.PathOf(stacks[3]);
  one_by_one.PathOf(stacks[3]);
  WorkerPool workers(2);
  std::vector<PathNumbers::Path> paths;
  at_once.PathsOf(stacks, workers, &paths);
  ASSERT_EQ(paths.size(), stacks.size());
  for (size_t i = 0; i < stacks.size(); ++i) {
    const PathNumbers::Path path = one_by_one.PathOf(stacks[i]);
    EXPECT_EQ(paths[i].number, path.number);
    EXPECT_EQ(paths[i].leaf->frame, path.leaf->frame);
    EXPECT_EQ(paths[i].leaf->function, path.leaf->function);
    EXPECT_EQ(at_once.SitesOf(path.number), one_by_one.SitesOf(path.number));
  }
  EXPECT_EQ(at_once.size(), 25u);
}

TEST_F(PathNumbersTest, OneLongPathIsCharged) {
  constexpr size_t kFrames = 100'000;
  Budget budget;
  StackFunctions functions(tables_, budget, nullptr);
  PathNumbers numbers(tables_, functions, budget, /*equal_paths_share=*/true);
  numbers.PathOf(Stack(std::vector<std::string>(kFrames, "memcpy")));
  EXPECT_GT(budget.used(Budget::kMemory), kFrames * sizeof(uint32_t));
}

TEST_F(PathNumbersTest, InnerFramesOfAVeryLargeStackAreFlat) {
  AddFrame("deep", app_, kDeepAddress);
  StackFunctions functions(tables_, Budget::Unlimited(), nullptr);
  PathNumbers numbers(tables_, functions, Budget::Unlimited(),
                      /*equal_paths_share=*/true);
  const auto path =
      numbers.PathOf(Stack(std::vector<std::string>(100, "deep")));
  EXPECT_EQ(numbers.SitesOf(path.number).size(), 65 * kDeep + 35);
  EXPECT_FALSE(path.leaf->inlined);
  EXPECT_TRUE(numbers.sites()[numbers.SitesOf(path.number)[35]].inlined);
}

}  // namespace
}  // namespace perf2x
