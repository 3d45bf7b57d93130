// SPDX-License-Identifier: Apache-2.0
#include "converter/perf/header/event_ids.h"

#include <gtest/gtest.h>

namespace perf2x {
namespace {

using Added = EventIds::Added;

TEST(EventIdsTest, AnIdIsOfTheFirstEventThatHasIt) {
  EventIds ids;
  ids.AddEvent();
  ids.AddEvent();
  EXPECT_EQ(ids.Add(7, 1), Added::kNew);
  EXPECT_EQ(ids.Add(7, 0), Added::kKnown);
  EXPECT_EQ(ids.EventOf(7), 1u);
  EXPECT_EQ(ids.EventOf(8), kNoEvent);
}

TEST(EventIdsTest, IdsWithTheSameLowBitsAreToldApart) {
  EventIds ids;
  for (uint32_t event = 0; event < 3; ++event) {
    ids.AddEvent();
    EXPECT_EQ(ids.Add(5 + 64 * event, event), Added::kNew);
  }
  for (int round = 0; round < 2; ++round) {
    for (uint32_t event = 0; event < 3; ++event) {
      EXPECT_EQ(ids.EventOf(5 + 64 * event), event);
      EXPECT_EQ(ids.EventOf(5 + 64 * 3), kNoEvent);
    }
  }
  // An id that was looked up in vain is found once it is there.
  EXPECT_EQ(ids.Add(5 + 64 * 3, 2), Added::kNew);
  EXPECT_EQ(ids.EventOf(5 + 64 * 3), 2u);
}

TEST(EventIdsTest, IdsMayLieAnywhereAroundTheFirst) {
  const uint64_t distances[] = {0,       1,          (1 << 14) - 1,
                                1 << 14, 1ull << 40, ~0ull};
  EventIds ids;
  for (uint32_t event = 0; event < 6; ++event) {
    ids.AddEvent();
    EXPECT_EQ(ids.Add(1000 + distances[event], event), Added::kNew);
  }
  for (uint32_t event = 0; event < 6; ++event) {
    EXPECT_EQ(ids.EventOf(1000 + distances[event]), event);
    EXPECT_EQ(ids.EventOf(1003 + distances[event]), kNoEvent);
  }
}

TEST(EventIdsTest, IdZeroIsOfTheOnlyEventWithoutIds) {
  EventIds ids;
  EXPECT_EQ(ids.EventOf(0), kNoEvent);
  for (int i = 0; i < 3; ++i) ids.AddEvent();
  EXPECT_EQ(ids.EventOf(0), kNoEvent);
  ids.Add(1, 0);
  EXPECT_EQ(ids.EventOf(0), kNoEvent);
  ids.Add(2, 2);
  ids.Add(3, 2);
  EXPECT_EQ(ids.EventOf(0), 1u);
  ids.Add(0, 2);
  EXPECT_EQ(ids.EventOf(0), 2u);
}

TEST(EventIdsTest, KeepsIdsUpToANumber) {
  EventIds ids;
  ids.AddEvent();
  for (uint64_t id = 1; id <= kMaxEventIds; ++id) {
    ASSERT_EQ(ids.Add(id, 0), Added::kNew);
  }
  EXPECT_EQ(ids.Add(kMaxEventIds + 1, 0), Added::kTooMany);
  EXPECT_EQ(ids.EventOf(kMaxEventIds + 1), kNoEvent);
  EXPECT_EQ(ids.Add(1, 0), Added::kKnown);
}

}  // namespace
}  // namespace perf2x
