// SPDX-License-Identifier: Apache-2.0
#include "converter/session/aux_coverage.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace perf2x {
namespace {

using Missing = std::vector<std::pair<uint64_t, uint64_t>>;

Missing MissingOf(const AuxCoverage& coverage) {
  Missing missing;
  coverage.ForEachMissing([&](uint64_t offset, uint64_t bytes) {
    missing.emplace_back(offset, bytes);
  });
  return missing;
}

TEST(AuxCoverageTest, RepeatedDataIsKnown) {
  AuxCoverage coverage;
  EXPECT_TRUE(coverage.AddData({0, 7, 100, 50}));
  EXPECT_TRUE(coverage.AddData({0, 7, 150, 50}));
  EXPECT_FALSE(coverage.AddData({0, 8, 100, 50}));
  EXPECT_TRUE(coverage.AddData({1, 7, 100, 50}));
  EXPECT_TRUE(coverage.AddData({-1, 7, 100, 50}));
  EXPECT_TRUE(coverage.AddData({-1, 8, 100, 50}));
  EXPECT_FALSE(coverage.AddData({-1, 8, 100, 50}));
}

TEST(AuxCoverageTest, MissingBytes) {
  AuxCoverage coverage;
  coverage.AddData({0, -1, 100, 100});
  coverage.AddData({0, -1, 150, 100});  // overlaps
  coverage.AddData({0, -1, 300, 100});
  coverage.AddData({-1, 9, 0, 10});
  coverage.AddNamed({0, 9, 100, 150}, 1);
  coverage.AddNamed({0, 9, 0, 100}, 2);
  coverage.AddNamed({0, 9, 120, 300}, 3);  // 50 between, 20 after
  coverage.AddNamed({0, 9, 400, 5}, 4);
  coverage.AddNamed({3, 9, 5, 10}, 5);  // of the thread
  coverage.AddNamed({3, 8, 5, 10}, 6);
  coverage.AddNamed({0, 9, 1000, 0}, 7);
  coverage.AddNamed({0, 9, 300, ~uint64_t{0}}, 8);
  EXPECT_EQ(MissingOf(coverage), (Missing{{2, 100},
                                          {3, 70},
                                          {4, 5},
                                          {5, 5},
                                          {6, 10},
                                          {8, ~uint64_t{0} - 400}}));
}

}  // namespace
}  // namespace perf2x
