// SPDX-License-Identifier: Apache-2.0
#include "converter/model/frame_places.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "converter/model/trace_tables.h"

namespace perf2x {
namespace {

FramePlace PlaceAt(uint64_t address) {
  return {FrameTable::HashOf(1, address), address, 1, 0};
}

std::vector<uint64_t> Addresses(const FramePlaces& places) {
  std::vector<uint64_t> addresses;
  for (size_t i = 0; i < places.size(); ++i) {
    addresses.push_back(places[i].address);
  }
  return addresses;
}

TEST(FramePlacesTest, HoldsAPlaceForEachFrame) {
  FramePlaces places;
  EXPECT_TRUE(places.empty());
  for (uint64_t i = 0; i < 1000; ++i) places.push_back(PlaceAt(i * i));
  ASSERT_EQ(places.size(), 1000u);
  EXPECT_EQ(places[30].address, 900u);
  EXPECT_EQ(places.stored().size(), 1000u);
  places.clear();
  EXPECT_TRUE(places.empty());
  EXPECT_TRUE(places.stored().empty());
}

TEST(FramePlacesTest, FramesShareStoredPlaces) {
  FramePlaces places;
  places.push_back(PlaceAt(10));
  uint32_t* to = places.Append(4);
  const uint32_t twenty = places.Store(PlaceAt(20));
  *to++ = twenty;
  *to++ = 0;
  *to++ = twenty;
  places.Truncate(to);
  EXPECT_EQ(Addresses(places), (std::vector<uint64_t>{10, 20, 10, 20}));
  EXPECT_EQ(places.stored().size(), 2u);
  places.push_back(PlaceAt(30));
  EXPECT_EQ(Addresses(places), (std::vector<uint64_t>{10, 20, 10, 20, 30}));
}

TEST(FramePlacesTest, KnowsWhatIsStoredWhere) {
  FramePlaces places;
  places.push_back(PlaceAt(10));
  EXPECT_TRUE(places.HasAt(0, 1, 10));
  EXPECT_FALSE(places.HasAt(0, 2, 10));
  EXPECT_FALSE(places.HasAt(0, 1, 11));
  EXPECT_FALSE(places.HasAt(1, 1, 10));
  // What was stored before does not count.
  places.clear();
  EXPECT_FALSE(places.HasAt(0, 1, 10));
}

TEST(FramePlacesTest, FramesOfOnePlaceAreOneFrame) {
  TraceTables tables;
  tables.AddDso({});
  tables.AddDso({});
  FramePlaces places;
  uint32_t* to = places.Append(3);
  *to++ = places.Store(PlaceAt(1));
  *to++ = 0;
  *to++ = places.Store(PlaceAt(2));
  places.push_back(PlaceAt(1));
  std::vector<FrameId> frames;
  tables.InternFrames(places, &frames);
  EXPECT_EQ(frames, (std::vector<FrameId>{0, 0, 1, 0}));
  EXPECT_EQ(tables.InternFrame(PlaceAt(2)), 1u);
}

}  // namespace
}  // namespace perf2x
