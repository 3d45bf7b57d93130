// SPDX-License-Identifier: Apache-2.0
#include "converter/session/counter_readings.h"

#include <gtest/gtest.h>

namespace perf2x {
namespace {

TEST(CounterReadingsTest, GivesWhatWasCountedSinceTheLastReading) {
  CounterReadings readings;
  auto growth = readings.Update({1, -1}, {100, 40, 0, 0});
  ASSERT_TRUE(growth.has_value());
  EXPECT_EQ(growth->value, 40);
  EXPECT_EQ(growth->since, std::nullopt);
  growth = readings.Update({1, -1}, {150, 47, 0, 0});
  ASSERT_TRUE(growth.has_value());
  EXPECT_EQ(growth->value, 7);
  EXPECT_EQ(growth->since, 100);
}

TEST(CounterReadingsTest, TellsCountersAndThreadsApart) {
  CounterReadings readings;
  readings.Update({1, 10}, {100, 40, 0, 0});
  EXPECT_EQ(readings.Update({1, 11}, {120, 5, 0, 0})->value, 5);
  EXPECT_EQ(readings.Update({2, 10}, {130, 6, 0, 0})->value, 6);
  EXPECT_EQ(readings.Update({1, 10}, {140, 41, 0, 0})->value, 1);
}

TEST(CounterReadingsTest, ScalesWhatWasCountedForPartOfTheTime) {
  CounterReadings readings;
  auto growth = readings.Update({1, -1}, {1000, 50, 800, 400});
  ASSERT_TRUE(growth.has_value());
  EXPECT_EQ(growth->value, 100);
  EXPECT_EQ(growth->since, 200);  // it was enabled then
  // Of the last interval it counted a quarter.
  growth = readings.Update({1, -1}, {1400, 60, 1200, 500});
  ASSERT_TRUE(growth.has_value());
  EXPECT_EQ(growth->value, 40);
}

TEST(CounterReadingsTest, BeginsWhenTheCounterWasMade) {
  CounterReadings readings;
  // Of a program, a counter is enabled while that runs.
  const auto growth = readings.Update(
      {1, -1},
      {.time = 1000, .value = 50, .enabled = 400, .running = 400, .made = 0});
  ASSERT_TRUE(growth.has_value());
  EXPECT_EQ(growth->since, 0);
}

TEST(CounterReadingsTest, SaysNothingOfACounterThatNeverGotToCount) {
  CounterReadings readings;
  EXPECT_EQ(readings.Update({1, -1}, {1000, 0, 800, 0}), std::nullopt);
}

TEST(CounterReadingsTest, TakesACounterThatShrankForANewOne) {
  CounterReadings readings;
  readings.Update({1, -1}, {100, 40, 0, 0});
  const auto growth = readings.Update({1, -1}, {200, 30, 0, 0});
  EXPECT_EQ(growth->value, 30);
  EXPECT_TRUE(growth->restarted);
  EXPECT_FALSE(readings.Update({1, -1}, {300, 31, 0, 0})->restarted);
}

}  // namespace
}  // namespace perf2x
