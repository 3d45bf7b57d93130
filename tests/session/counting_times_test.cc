// SPDX-License-Identifier: Apache-2.0
#include "converter/session/counting_times.h"

#include <gtest/gtest.h>

namespace perf2x {
namespace {

TEST(CountingTimesTest, SumsWhatCountersOfCpusSay) {
  CountingTimes times;
  times.SetTotals({1, -1}, 0, 100, 50);
  times.SetTotals({2, -1}, 0, 100, 100);
  times.SetTotals({2, -1}, 0, 200, 180);  // totals
  ASSERT_EQ(times.ByEvent().size(), 1u);
  EXPECT_EQ(times.ByEvent()[0].enabled, 300u);
  EXPECT_EQ(times.ByEvent()[0].running, 230u);
}

// perf record opens a counter on each CPU for a thread: all are enabled while
// it runs, and only that of the CPU that it runs on counts.
TEST(CountingTimesTest, AThreadThatMovesDoesNotShare) {
  CountingTimes times;
  times.SetTotals({1, 7}, 0, 200, 65);
  times.SetTotals({2, 7}, 0, 200, 135);
  EXPECT_EQ(times.ByEvent()[0].enabled, 200u);
  EXPECT_EQ(times.ByEvent()[0].running, 200u);
  times.SetTotals({1, 8}, 0, 100, 20);  // that one had to share
  times.SetTotals({2, 8}, 0, 100, 30);
  EXPECT_EQ(times.ByEvent()[0].enabled, 300u);
  EXPECT_EQ(times.ByEvent()[0].running, 250u);
}

}  // namespace
}  // namespace perf2x
