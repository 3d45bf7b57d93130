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

// The parts that are new: their starts and their sizes.
using New = std::vector<std::pair<uint64_t, uint64_t>>;
New NewOf(AuxCoverage* coverage, const AuxCoverage::Range& range) {
  New parts;
  for (const auto& [start, size] : coverage->AddData(range)) {
    parts.emplace_back(start, size);
  }
  return parts;
}

TEST(AuxCoverageTest, RepeatedDataIsKnown) {
  AuxCoverage coverage;
  EXPECT_EQ(NewOf(&coverage, {0, 7, 100, 50}), (New{{100, 50}}));
  EXPECT_EQ(NewOf(&coverage, {0, 7, 150, 50}), (New{{150, 50}}));
  EXPECT_EQ(NewOf(&coverage, {0, 8, 100, 50}), New());
  EXPECT_EQ(NewOf(&coverage, {1, 7, 100, 50}), (New{{100, 50}}));
  EXPECT_EQ(NewOf(&coverage, {-1, 7, 100, 50}), (New{{100, 50}}));
  EXPECT_EQ(NewOf(&coverage, {-1, 8, 100, 50}), (New{{100, 50}}));
  EXPECT_EQ(NewOf(&coverage, {-1, 8, 100, 50}), New());
}

TEST(AuxCoverageTest, APlaceWithoutCpuAndThreadIsItsOwn) {
  AuxCoverage coverage;
  EXPECT_EQ(NewOf(&coverage, {0, -1, 0, 50}), (New{{0, 50}}));
  EXPECT_EQ(NewOf(&coverage, {-1, -1, 0, 50}), (New{{0, 50}}));
}

TEST(AuxCoverageTest, OfOverlapsTheNewPartsAreLeft) {
  AuxCoverage coverage;
  EXPECT_EQ(NewOf(&coverage, {0, -1, 100, 50}), (New{{100, 50}}));
  EXPECT_EQ(NewOf(&coverage, {0, -1, 100, 80}), (New{{150, 30}}));
  EXPECT_EQ(NewOf(&coverage, {0, -1, 120, 30}), New());
  EXPECT_EQ(NewOf(&coverage, {0, -1, 160, 40}), (New{{180, 20}}));
  EXPECT_EQ(NewOf(&coverage, {0, -1, 300, 50}), (New{{300, 50}}));
  EXPECT_EQ(NewOf(&coverage, {0, -1, 150, 400}), (New{{200, 100}, {350, 200}}));
  EXPECT_EQ(NewOf(&coverage, {0, -1, 50, 400}), (New{{50, 50}}));
  EXPECT_EQ(NewOf(&coverage, {0, -1, 50, 501}), (New{{550, 1}}));
  EXPECT_EQ(NewOf(&coverage, {0, -1, ~uint64_t{0} - 8, 20}),
            (New{{~uint64_t{0} - 8, 8}}));
}

TEST(AuxCoverageTest, PaddingIsNoOverlap) {
  AuxCoverage coverage;
  EXPECT_EQ(NewOf(&coverage, {0, -1, 0, 104}), (New{{0, 104}}));
  EXPECT_EQ(NewOf(&coverage, {0, -1, 97, 104}), (New{{97, 104}}));
  EXPECT_EQ(NewOf(&coverage, {0, -1, 193, 104}), (New{{201, 96}}));
  EXPECT_EQ(NewOf(&coverage, {0, -1, 290, 7}), New());
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

// Of recordings of one event, whose records say neither CPU nor thread.
TEST(AuxCoverageTest, RecordsWithoutAPlaceAreOfTheOnlyOne) {
  for (const auto& [cpu, tid] : {std::pair(2, 7), std::pair(-1, 7)}) {
    AuxCoverage coverage;
    coverage.AddData({cpu, tid, 0, 100});
    coverage.AddNamed({-1, -1, 0, 110}, 1);
    coverage.AddNamed({5, 6, 0, 100}, 2);  // of another one
    EXPECT_EQ(MissingOf(coverage), (Missing{{1, 10}, {2, 100}}));
    coverage.AddData({3, -1, 0, 100});
    EXPECT_EQ(MissingOf(coverage), (Missing{{1, 110}, {2, 100}}));
  }
}

}  // namespace
}  // namespace perf2x
