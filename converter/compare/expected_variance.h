// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_COMPARE_EXPECTED_VARIANCE_H_
#define PERF2X_COMPARE_EXPECTED_VARIANCE_H_

#include <cstddef>
#include <vector>

namespace perf2x {

// Returns the variance expected for each mean, by the mean-variance trend of
// all quantities. The trend is a power of the mean, fitted by least squares of
// logarithms to the quantities whose mean and variance are above 0. If these
// are fewer than kMinFitted, returns 0 for all. Returns 0 for a mean that is
// not above 0. Both arguments must have the same size.
std::vector<double> ExpectedVariances(const std::vector<double>& means,
                                      const std::vector<double>& variances);

// With fewer quantities, a fit would say little.
inline constexpr size_t kMinFitted = 8;

}  // namespace perf2x

#endif  // PERF2X_COMPARE_EXPECTED_VARIANCE_H_
