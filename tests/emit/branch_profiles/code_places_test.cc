// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/branch_profiles/code_places.h"

#include <gtest/gtest.h>

#include "tests/emit/branch_profiles/one_dso.h"

namespace perf2x {
namespace {

TEST(CodePlacesTest, EveryAddressBeyondTheLimitIsCounted) {
  constexpr uint64_t kPage = 4096, kPages = (1 << 20) - 1;
  OneDso source;
  TraceTables tables;
  tables.set_frame_source(&source);
  tables.AddDso(Dso());
  CodePlaces places(tables, [](const Dso&) { return true; });
  for (uint64_t page = 0; page < kPages; ++page) {
    ASSERT_NE(places.PlaceOf(0, page * kPage), kOutside);
  }
  EXPECT_EQ(places.beyond_limit(), 0u);
  for (const uint64_t at : {kPages, kPages, kPages + 1}) {
    EXPECT_EQ(places.PlaceOf(0, at * kPage), kOutside);
    EXPECT_EQ(places.PlaceOf(0, at * kPage + 8), kOutside);
  }
  EXPECT_EQ(places.beyond_limit(), 6u);
  // Pages that have places keep them.
  const PlaceId first = places.PlaceOf(0, 16);
  EXPECT_EQ(places.FrameAddressOf(first), 16u);
  EXPECT_EQ(places.beyond_limit(), 6u);
}

// As of many processes: their pages must not keep replacing each other.
TEST(CodePlacesTest, ManyPagesAreLocatedAFewTimes) {
  constexpr uint64_t kPage = 4096, kPages = 40'000;
  constexpr int kRounds = 20;
  OneDso source;
  TraceTables tables;
  tables.set_frame_source(&source);
  tables.AddDso(Dso());
  CodePlaces places(tables, [](const Dso&) { return true; });
  for (int round = 0; round < kRounds; ++round) {
    for (uint64_t page = 0; page < kPages; ++page) {
      const PlaceId place = places.PlaceOf(0, page * kPage + page % kPage);
      ASSERT_EQ(places.FrameAddressOf(place), page * kPage + page % kPage);
    }
  }
  constexpr uint64_t kOfMiss = 3;  // calls
  EXPECT_LT(source.located(), kPages * kRounds * kOfMiss / 2);
}

}  // namespace
}  // namespace perf2x
