// SPDX-License-Identifier: Apache-2.0
#include "converter/compare/expected_variance.h"

#include <gtest/gtest.h>

#include <cmath>

namespace perf2x {
namespace {

// The values `mean` - d, `mean` and `mean` + d have the variance d * d.
Measured Three(double mean, double variance) {
  Measured out;
  const double d = std::sqrt(variance);
  out.values = {mean - d, mean, mean + d};
  out.is_alike = true;
  return out;
}

TEST(ExpectedVarianceTest, IsAPowerOfTheMean) {
  std::vector<Measured> quantities;
  for (int i = 1; i <= 8; ++i) quantities.push_back(Three(i, 0.01 * i * i));
  quantities.push_back(Three(5, 0.25));  // as expected of its mean
  const std::vector<double> expected = ExpectedVariances(quantities, {});
  for (int i = 1; i <= 8; ++i) {
    EXPECT_NEAR(expected[static_cast<size_t>(i - 1)], 0.01 * i * i, 1e-9);
  }
  EXPECT_NEAR(expected[8], 0.25, 1e-9);
}

TEST(ExpectedVarianceTest, OfEqualMeansIsTheGeometricMean) {
  std::vector<Measured> quantities;
  for (int i = 0; i < 8; ++i) quantities.push_back(Three(3, i < 4 ? 1 : 4));
  for (const double one : ExpectedVariances(quantities, {})) {
    EXPECT_NEAR(one, 2, 1e-9);
  }
}

TEST(ExpectedVarianceTest, OthersAndFewQuantitiesHaveNone) {
  std::vector<Measured> quantities(7, Three(3, 1));
  EXPECT_EQ(ExpectedVariances(quantities, {}), std::vector<double>(7));
  quantities.push_back(Three(3, 1));
  quantities.push_back(Three(3, 1));
  quantities[8].is_alike = false;
  quantities.push_back(Three(0, 1));
  const std::vector<double> expected = ExpectedVariances(quantities, {});
  EXPECT_GT(expected[0], 0);
  EXPECT_EQ(expected[8], 0);
  EXPECT_EQ(expected[9], 0);
}

// Values that never differ do not pull the fit to zero, and get its variance.
TEST(ExpectedVarianceTest, ValuesWithoutSpreadAreNotFitted) {
  std::vector<Measured> quantities(8, Three(3, 1));
  quantities.push_back(Three(3, 0));
  EXPECT_NEAR(ExpectedVariances(quantities, {})[8], 1, 1e-9);
}

// What goes along with the covariate is no noise.
TEST(ExpectedVarianceTest, WithACovariateIsAboutALine) {
  std::vector<Measured> quantities(8, Three(3, 4));
  for (Measured& one : quantities) one.values[1] += 1;
  const std::vector<double> expected = ExpectedVariances(quantities, {5, 6, 7});
  // Left are -1/3, 2/3 and -1/3, with one degree of freedom.
  for (const double one : expected) EXPECT_NEAR(one, 2.0 / 3, 1e-9);
}

}  // namespace
}  // namespace perf2x
