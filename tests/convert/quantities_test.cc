// SPDX-License-Identifier: Apache-2.0
#include "converter/convert/quantities.h"

#include <gtest/gtest.h>

namespace perf2x {
namespace {

TEST(QuantitiesTest, Durations) {
  EXPECT_EQ(DurationText(0), "0 ns");
  EXPECT_EQ(DurationText(999), "999 ns");
  EXPECT_EQ(DurationText(1'500), "1.50 µs");
  EXPECT_EQ(DurationText(999'400), "999 µs");
  EXPECT_EQ(DurationText(999'600), "1.00 ms");
  EXPECT_EQ(DurationText(12'340'000), "12.3 ms");
  EXPECT_EQ(DurationText(999'999'999), "1.00 s");
  EXPECT_EQ(DurationText(3'723'000'000'000), "3723 s");
}

TEST(QuantitiesTest, Shares) {
  EXPECT_EQ(ShareText(0, 7), "0 %");
  EXPECT_EQ(ShareText(1, 10000), "under 0.1 %");
  EXPECT_EQ(ShareText(13, 1000), "1.3 %");
  EXPECT_EQ(ShareText(2, 3), "67 %");
  EXPECT_EQ(ShareText(9999, 10000), "99 %");
  EXPECT_EQ(ShareText(7, 7), "100 %");
}

}  // namespace
}  // namespace perf2x
