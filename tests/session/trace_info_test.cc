// SPDX-License-Identifier: Apache-2.0
#include "converter/session/trace_info.h"

#include <gtest/gtest.h>

namespace perf2x {
namespace {

TraceInfo InfoOf(int32_t clock, const HeaderFeatures& features = {}) {
  RecordedEvent event;
  event.attr.flags = uint64_t{1} << 25;  // use_clockid
  event.attr.clockid = clock;
  return MakeTraceInfo("a.data", features, {event});
}

TEST(TraceInfoTest, NamesTheClock) {
  EXPECT_EQ(MakeTraceInfo("a.data", {}, {}).clock, "perf");
  EXPECT_EQ(MakeTraceInfo("a.data", {}, {RecordedEvent()}).clock, "perf");
  EXPECT_EQ(InfoOf(1).clock, "CLOCK_MONOTONIC");
  EXPECT_EQ(InfoOf(11).clock, "CLOCK_TAI");
  EXPECT_EQ(InfoOf(99).clock, "clock 99");
  EXPECT_EQ(InfoOf(1).input, "a.data");
}

TEST(TraceInfoTest, WallClockIsKnownOfRealTimeOrByAPairOfTimes) {
  EXPECT_EQ(InfoOf(0).wall_clock_offset, 0);
  EXPECT_FALSE(InfoOf(1).wall_clock_offset.has_value());
  HeaderFeatures features;
  features.clock_data = {.clockid = 1, .wall_ns = 1000, .clock_ns = 300};
  EXPECT_EQ(InfoOf(1, features).wall_clock_offset, 700);
  EXPECT_FALSE(InfoOf(7, features).wall_clock_offset.has_value());
}

}  // namespace
}  // namespace perf2x
