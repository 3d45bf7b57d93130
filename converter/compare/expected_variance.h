// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_COMPARE_EXPECTED_VARIANCE_H_
#define PERF2X_COMPARE_EXPECTED_VARIANCE_H_

#include <vector>

#include "converter/compare/noise.h"

namespace perf2x {

// Returns the variance that each quantity with Measured::is_alike is expected
// to have by its mean: a power of the mean, fitted to the variances of all
// these quantities by least squares of logarithms. With a `covariate`, these
// are the variances about straight lines over it. Returns 0 for all other
// quantities, for those whose mean is not above 0, and for all if there are
// fewer than kMinAlike. Ignores the sides of the measurements: the variances
// include changes between them. All quantities must have the same number of
// values, at least 3, and as many as `covariate` unless it is empty.
std::vector<double> ExpectedVariances(const std::vector<Measured>& quantities,
                                      const std::vector<double>& covariate);

// With fewer quantities, a fit would say little.
inline constexpr size_t kMinAlike = 8;

}  // namespace perf2x

#endif  // PERF2X_COMPARE_EXPECTED_VARIANCE_H_
