// SPDX-License-Identifier: Apache-2.0
#include "converter/compare/expected_variance.h"

#include <cmath>
#include <cstddef>

namespace perf2x {
namespace {

// A quantity on the scale of logarithms.
struct LogPoint {
  double mean = 0, variance = 0;
};

// The least squares line through the points.
struct LogLine {
  double at_zero = 0, slope = 0;
};

LogLine FitLogLine(const std::vector<LogPoint>& points) {
  const auto count = static_cast<double>(points.size());
  double x = 0, y = 0;
  for (const LogPoint& point : points) {
    x += point.mean / count;
    y += point.variance / count;
  }
  double xx = 0, xy = 0;
  for (const LogPoint& point : points) {
    xx += (point.mean - x) * (point.mean - x);
    xy += (point.mean - x) * (point.variance - y);
  }
  // Means that differ by rounding only have no slope.
  constexpr double kSameMeans = 1e-9;
  const double slope = xx > kSameMeans * count ? xy / xx : 0;
  return {y - slope * x, slope};
}

}  // namespace

std::vector<double> ExpectedVariances(const std::vector<double>& means,
                                      const std::vector<double>& variances) {
  std::vector<double> expected(means.size());
  std::vector<LogPoint> fitted;
  for (size_t i = 0; i < means.size(); ++i) {
    // Values that differ by rounding only are not fitted.
    constexpr double kRounding = 1e-20;
    if (means[i] <= 0 || variances[i] <= kRounding * means[i] * means[i]) {
      continue;
    }
    fitted.push_back({std::log(means[i]), std::log(variances[i])});
  }
  if (fitted.size() < kMinFitted) return expected;
  const LogLine line = FitLogLine(fitted);
  for (size_t i = 0; i < means.size(); ++i) {
    if (means[i] <= 0) continue;
    expected[i] = std::exp(line.at_zero + line.slope * std::log(means[i]));
  }
  return expected;
}

}  // namespace perf2x
