// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_COMPARE_EXPECTED_VARIANCE_H_
#define PERF2X_COMPARE_EXPECTED_VARIANCE_H_

#include <cstddef>
#include <vector>

namespace perf2x {

// Returns the variance that quantities are expected to have by their means: a
// power of the mean, fitted to all `variances` by least squares of logarithms.
// Returns 0 for a quantity whose mean is not above 0, and for all if fewer than
// kMinAlike have both a mean and a variance above 0: only these are fitted.
// Both arguments must be of the same size.
std::vector<double> ExpectedVariances(const std::vector<double>& means,
                                      const std::vector<double>& variances);

// With fewer quantities, a fit would say little.
inline constexpr size_t kMinAlike = 8;

}  // namespace perf2x

#endif  // PERF2X_COMPARE_EXPECTED_VARIANCE_H_
