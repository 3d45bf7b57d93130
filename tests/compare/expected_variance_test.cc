// SPDX-License-Identifier: Apache-2.0
#include "converter/compare/expected_variance.h"

#include <gtest/gtest.h>

namespace perf2x {
namespace {

using Numbers = std::vector<double>;

TEST(ExpectedVarianceTest, IsAPowerOfTheMean) {
  Numbers means, variances;
  for (int i = 1; i <= 9; ++i) {
    means.push_back(i);
    variances.push_back(0.01 * i * i);
  }
  const Numbers expected = ExpectedVariances(means, variances);
  for (size_t i = 0; i < 9; ++i) EXPECT_NEAR(expected[i], variances[i], 1e-9);
}

TEST(ExpectedVarianceTest, OfEqualMeansIsTheGeometricMean) {
  const Numbers expected =
      ExpectedVariances(Numbers(8, 3), {1, 1, 1, 1, 4, 4, 4, 4});
  for (const double one : expected) EXPECT_NEAR(one, 2, 1e-9);
}

TEST(ExpectedVarianceTest, FewQuantitiesAndThoseWithoutAMeanHaveNone) {
  EXPECT_EQ(ExpectedVariances(Numbers(7, 3), Numbers(7, 1)), Numbers(7));
  Numbers means(9, 3);
  means[2] = 0;
  const Numbers expected = ExpectedVariances(means, Numbers(9, 1));
  EXPECT_NEAR(expected[0], 1, 1e-9);
  EXPECT_EQ(expected[2], 0);
}

// Values that never differ do not pull the fit to zero, and get its variance.
TEST(ExpectedVarianceTest, ValuesWithoutSpreadAreNotFitted) {
  Numbers variances(9, 1);
  variances[4] = 0;
  for (const double one : ExpectedVariances(Numbers(9, 3), variances)) {
    EXPECT_NEAR(one, 1, 1e-9);
  }
}

}  // namespace
}  // namespace perf2x
