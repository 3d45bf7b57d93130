// SPDX-License-Identifier: Apache-2.0
#include "converter/compare/noise.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace perf2x {
namespace {

// Pseudo-random numbers around 0, the same each time.
class Noise {
 public:
  double Next() {
    double sum = 0;
    for (int i = 0; i < 12; ++i) {
      state_ = state_ * 6364136223846793005 + 1442695040888963407;
      sum += static_cast<double>(state_ >> 11) / 9007199254740992.0;
    }
    return sum - 6;  // nearly normal, of variance 1
  }

 private:
  uint64_t state_ = 42;
};

std::vector<Measured> Quantities(size_t count, size_t values, Noise* noise) {
  std::vector<Measured> out(count);
  for (Measured& one : out) {
    for (size_t i = 0; i < values; ++i) {
      one.values.push_back(100 + noise->Next());
    }
  }
  return out;
}

bool AnyBeyond(const std::vector<Change>& changes) {
  return std::any_of(changes.begin(), changes.end(),
                     [](const Change& c) { return c.p <= kSignificanceLevel; });
}

TEST(NoiseTest, AChangeAmongManyIsFound) {
  Noise noise;
  auto quantities = Quantities(20, 10, &noise);
  for (size_t i = 5; i < 10; ++i) quantities[3].values[i] += 10;
  const auto changes = CompareRuns(quantities, 5);
  ASSERT_EQ(changes.size(), 20u);
  EXPECT_LE(*changes[3].p, 0.01);
  EXPECT_GT(*changes[3].low, 0);
  EXPECT_NEAR(changes[3].now - changes[3].base, 10, 2);
  for (size_t i = 0; i < 20; ++i) {
    if (i == 3) continue;
    EXPECT_GT(*changes[i].p, kSignificanceLevel) << i;
  }
}

// Exact, whatever the number of quantities: about 5 % of 400.
TEST(NoiseTest, WithoutAChangeFewComparisonsAlarm) {
  Noise noise;
  int alarms = 0;
  for (int i = 0; i < 400; ++i) {
    alarms += AnyBeyond(CompareRuns(Quantities(10, 8, &noise), 4));
  }
  EXPECT_LE(alarms, 30);
  EXPECT_GE(alarms, 2);
}

TEST(NoiseTest, TooFewMeasurementsHaveMeansOnly) {
  Noise noise;
  auto quantities = Quantities(1, 6, &noise);
  for (size_t i = 3; i < 6; ++i) quantities[0].values[i] += 1000;
  const auto changes = CompareRuns(quantities, 3);
  EXPECT_NEAR(changes[0].now - changes[0].base, 1000, 5);
  EXPECT_FALSE(changes[0].p.has_value());
  EXPECT_FALSE(changes[0].low.has_value());
}

TEST(NoiseTest, ManyRecordingsAreDealtAtRandom) {
  Noise noise;
  auto quantities = Quantities(5, 40, &noise);
  for (size_t i = 20; i < 40; ++i) quantities[0].values[i] += 3;
  const auto changes = CompareRuns(quantities, 20);
  EXPECT_LE(*changes[0].p, 0.01);
  EXPECT_GT(*changes[1].p, 0.01);
  EXPECT_EQ(*CompareRuns(quantities, 20)[1].p, *changes[1].p);
}

TEST(NoiseTest, EqualMeasurementsAreNoChange) {
  std::vector<Measured> quantities(2);
  quantities[0].values.assign(10, 5);
  quantities[1].values.assign(10, 0);
  for (const Change& change : CompareRuns(quantities, 5)) {
    EXPECT_EQ(*change.p, 1);
    EXPECT_EQ(change.now - change.base, 0);
  }
}

// What the variances of many quantities tell of one makes changes visible that
// nine measurements of it alone would not show.
TEST(NoiseTest, QuantitiesThatAreAlikeShareTheirVariance) {
  Noise noise;
  int found[2] = {0, 0};
  for (int round = 0; round < 40; ++round) {
    auto quantities = Quantities(40, 10, &noise);
    for (size_t i = 5; i < 10; ++i) quantities[7].values[i] += 2.6;
    found[0] += CompareRuns(quantities, 5)[7].p <= kSignificanceLevel;
    for (Measured& one : quantities) one.follows_variance_trend = true;
    found[1] += CompareRuns(quantities, 5)[7].p <= kSignificanceLevel;
  }
  EXPECT_LE(found[0], 20);
  EXPECT_GE(found[1], found[0] * 3 / 2);
}

// As of recordings without any noise: the changes are none.
TEST(NoiseTest, ChangesOfAllQuantitiesAreNotTakenForTheirNoise) {
  std::vector<Measured> quantities(12);
  for (size_t i = 0; i < quantities.size(); ++i) {
    const auto mean = static_cast<double>(i + 1);
    quantities[i].values.assign(4, mean);
    quantities[i].values.resize(8, mean * 1.04);
    quantities[i].resolution = 0.001;
    quantities[i].follows_variance_trend = true;
  }
  for (const Change& change : CompareRuns(quantities, 4)) {
    EXPECT_LE(*change.p, kSignificanceLevel);
  }
}

TEST(NoiseTest, ATestThatWeighsMoreIsMoreSensitive) {
  Noise noise;
  auto quantities = Quantities(40, 10, &noise);
  for (size_t i = 5; i < 10; ++i) quantities[7].values[i] += 1.5;
  for (Measured& one : quantities) one.follows_variance_trend = true;
  const auto equal = CompareRuns(quantities, 5);
  for (Measured& one : quantities) one.weight = 0.01;
  const auto light = CompareRuns(quantities, 5);
  EXPECT_EQ(*light[7].p, *equal[7].p);
  quantities[7].weight = 0.5;
  const auto heavy = CompareRuns(quantities, 5);
  EXPECT_LT(*heavy[7].p, *equal[7].p);
  EXPECT_LT(*heavy[7].high - *heavy[7].low, *equal[7].high - *equal[7].low);
  EXPECT_GT(*heavy[8].high - *heavy[8].low, *equal[8].high - *equal[8].low);
}

TEST(NoiseTest, WithWeightsAndSharedVariancesFewComparisonsAlarm) {
  Noise noise;
  int alarms = 0;
  for (int i = 0; i < 300; ++i) {
    auto quantities = Quantities(20, 8, &noise);
    for (size_t at = 0; at < quantities.size(); ++at) {
      quantities[at].follows_variance_trend = at > 0;
      quantities[at].weight = 1.0 / static_cast<double>(at + 1);
      // Noise that differs from what the others let expect.
      for (double& value : quantities[at].values) {
        if (at % 5 == 0) value = 100 + (value - 100) * 4;
      }
    }
    alarms += AnyBeyond(CompareRuns(quantities, 4));
  }
  EXPECT_LE(alarms, 24);
  EXPECT_GE(alarms, 2);
}

// Two values that happen to be equal each time do not make every other change
// look small: rounding bounds their noise from below.
TEST(NoiseTest, TheResolutionBoundsTheNoise) {
  Noise noise;
  auto quantities = Quantities(2, 8, &noise);
  for (size_t i = 4; i < 8; ++i) quantities[0].values[i] += 20;
  quantities[1].values = {1, 1, 1, 2, 1, 1, 1, 1};
  quantities[1].resolution = 0.3;
  auto changes = CompareRuns(quantities, 4);
  EXPECT_LE(*changes[0].p, kSignificanceLevel);
  EXPECT_GT(*changes[1].p, kSignificanceLevel);
  quantities[1].values = {1, 1, 1, 1, 2, 2, 2, 2};
  quantities[1].resolution = 0;
  changes = CompareRuns(quantities, 4);
  EXPECT_LE(*changes[1].p, kSignificanceLevel);
  EXPECT_EQ(changes[1].now - changes[1].base, 1);
}

TEST(NoiseTest, BlocksOfOneRecordingHaveIntervalsButNoVerdict) {
  Noise noise;
  auto quantities = Quantities(4, 80, &noise);
  for (size_t i = 40; i < 80; ++i) quantities[1].values[i] += 5;
  const auto changes = CompareBlocks(quantities, 40);
  EXPECT_GT(*changes[1].low, 3.5);
  EXPECT_LT(*changes[1].high, 6.5);
  EXPECT_LT(*changes[0].low, 0);
  EXPECT_GT(*changes[0].high, 0);
  EXPECT_FALSE(changes[1].p.has_value());
}

TEST(NoiseTest, OneBlockTellsNothingOfNoise) {
  Noise noise;
  const auto changes = CompareBlocks(Quantities(2, 2, &noise), 1);
  EXPECT_FALSE(changes[0].low.has_value());
  EXPECT_FALSE(changes[0].high.has_value());
}

}  // namespace
}  // namespace perf2x
