// SPDX-License-Identifier: Apache-2.0
#include "converter/compare/expected_variance.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace perf2x {
namespace {

// A quantity on the scale of logarithms.
struct LogPoint {
  size_t quantity = 0;
  double mean = 0;      // logarithm
  double variance = 0;  // logarithm
};

double MeanValueOf(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

// The variance of a quantity about its mean or, with a covariate, about a line.
double VarianceOf(const Measured& quantity, double mean,
                  const std::vector<double>& covariate) {
  double squares = 0, xx = 0, xy = 0;
  const double x_mean = covariate.empty() ? 0 : MeanValueOf(covariate);
  for (size_t i = 0; i < quantity.values.size(); ++i) {
    const double y = quantity.values[i] - mean;
    squares += y * y;
    if (covariate.empty()) continue;
    const double x = covariate[i] - x_mean;
    xx += x * x;
    xy += x * y;
  }
  auto freedom = static_cast<double>(quantity.values.size()) - 1;
  if (xx > 0) {
    squares = std::max(0.0, squares - xy * xy / xx);
    freedom -= 1;
  }
  return squares / freedom + quantity.resolution * quantity.resolution;
}

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

std::vector<double> ExpectedVariances(const std::vector<Measured>& quantities,
                                      const std::vector<double>& covariate) {
  std::vector<double> expected(quantities.size());
  std::vector<LogPoint> all, fitted;
  for (size_t i = 0; i < quantities.size(); ++i) {
    if (!quantities[i].is_alike) continue;
    const double mean = MeanValueOf(quantities[i].values);
    if (mean <= 0) continue;
    const double variance = VarianceOf(quantities[i], mean, covariate);
    all.push_back({i, std::log(mean), 0});
    if (variance <= 0) continue;
    fitted.push_back({i, std::log(mean), std::log(variance)});
  }
  if (fitted.size() < kMinAlike) return expected;
  const LogLine line = FitLogLine(fitted);
  for (const LogPoint& point : all) {
    expected[point.quantity] = std::exp(line.at_zero + line.slope * point.mean);
  }
  return expected;
}

}  // namespace perf2x
