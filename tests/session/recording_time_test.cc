// SPDX-License-Identifier: Apache-2.0
#include "converter/session/recording_time.h"

#include <gtest/gtest.h>

namespace perf2x {
namespace {

TEST(RecordingTimeTest, ConvertsByMultiplicationAndShift) {
  TimeConvRecord conversion;
  conversion.time_shift = 10;
  conversion.time_mult = 512;  // half a ns for each tick
  conversion.time_zero = 1000;
  EXPECT_EQ(ToRecordingTime(conversion, 0), 1000u);
  EXPECT_EQ(ToRecordingTime(conversion, 4098), 1000u + 2049);
}

TEST(RecordingTimeTest, ShortCountersContinueFromTheirCycles) {
  TimeConvRecord conversion;
  conversion.time_mult = 1;
  conversion.has_cycles = true;
  conversion.time_cycles = 0x1'0000'0010;
  conversion.time_mask = 0xffff'ffff;
  EXPECT_EQ(ToRecordingTime(conversion, 0x20), 0x20u);
  conversion.cap_user_time_short = 1;
  EXPECT_EQ(ToRecordingTime(conversion, 0x20), 0x1'0000'0020u);
  // A value before time_cycles is of the next round.
  EXPECT_EQ(ToRecordingTime(conversion, 0x8), 0x2'0000'0008u);
}

}  // namespace
}  // namespace perf2x
