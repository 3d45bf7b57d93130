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

// The part that is new: its start and its size.
std::pair<uint64_t, uint64_t> NewOf(AuxCoverage* coverage,
                                    const AuxCoverage::Range& range) {
  const AuxCoverage::Data data = coverage->AddData(range);
  return {data.size == 0 ? 0 : data.start, data.size};
}
using New = std::pair<uint64_t, uint64_t>;

TEST(AuxCoverageTest, RepeatedDataIsKnown) {
  AuxCoverage coverage;
  EXPECT_EQ(NewOf(&coverage, {0, 7, 100, 50}), New(100, 50));
  EXPECT_EQ(NewOf(&coverage, {0, 7, 150, 50}), New(150, 50));
  EXPECT_EQ(NewOf(&coverage, {0, 8, 100, 50}), New(0, 0));
  EXPECT_EQ(NewOf(&coverage, {1, 7, 100, 50}), New(100, 50));
  EXPECT_EQ(NewOf(&coverage, {-1, 7, 100, 50}), New(100, 50));
  EXPECT_EQ(NewOf(&coverage, {-1, 8, 100, 50}), New(100, 50));
  EXPECT_EQ(NewOf(&coverage, {-1, 8, 100, 50}), New(0, 0));
}

TEST(AuxCoverageTest, APlaceWithoutCpuAndThreadIsItsOwn) {
  AuxCoverage coverage;
  EXPECT_EQ(NewOf(&coverage, {0, -1, 0, 50}), New(0, 50));
  EXPECT_EQ(NewOf(&coverage, {-1, -1, 0, 50}), New(0, 50));
}

TEST(AuxCoverageTest, OfOverlapsTheNewPartIsLeft) {
  AuxCoverage coverage;
  EXPECT_EQ(NewOf(&coverage, {0, -1, 100, 50}), New(100, 50));
  EXPECT_EQ(NewOf(&coverage, {0, -1, 100, 80}), New(150, 30));
  EXPECT_EQ(NewOf(&coverage, {0, -1, 120, 30}), New(0, 0));
  EXPECT_EQ(NewOf(&coverage, {0, -1, 160, 40}), New(180, 20));
  EXPECT_EQ(NewOf(&coverage, {0, -1, 300, 50}), New(300, 50));
  EXPECT_EQ(NewOf(&coverage, {0, -1, 150, 400}), New(200, 100));
  EXPECT_EQ(NewOf(&coverage, {0, -1, 50, 400}), New(50, 50));
  EXPECT_EQ(NewOf(&coverage, {0, -1, 50, 301}), New(350, 1));
}

TEST(AuxCoverageTest, PaddingIsNoOverlap) {
  AuxCoverage coverage;
  EXPECT_EQ(NewOf(&coverage, {0, -1, 0, 104}), New(0, 104));
  EXPECT_EQ(NewOf(&coverage, {0, -1, 97, 104}), New(97, 104));
  EXPECT_EQ(NewOf(&coverage, {0, -1, 193, 104}), New(201, 96));
  EXPECT_EQ(NewOf(&coverage, {0, -1, 290, 7}), New(0, 0));
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
