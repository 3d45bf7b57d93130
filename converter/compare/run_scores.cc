// SPDX-License-Identifier: Apache-2.0
#include "converter/compare/run_scores.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "converter/compare/expected_variance.h"

namespace perf2x {
namespace {

// The expected variance counts as much as this many measurements more. By trial
// with real recordings: 8 find less, 32 find hardly more.
constexpr double kExpectedFreedom = 16;

// The mean of the values order[first, end).
double MeanOfSide(const std::vector<double>& values,
                  const std::vector<size_t>& order, size_t first, size_t end) {
  double sum = 0;
  for (size_t i = first; i < end; ++i) sum += values[order[i]];
  return sum / static_cast<double>(end - first);
}

}  // namespace

RunScores::RunScores(const std::vector<Measured>& quantities)
    : quantities_(quantities) {
  for (const Measured& one : quantities) {
    log_weights_.push_back(std::log(one.weight));
    const double sum =
        std::accumulate(one.values.begin(), one.values.end(), 0.0);
    means_.push_back(one.follows_variance_trend
                         ? sum / static_cast<double>(one.values.size())
                         : 0);
  }
}

void RunScores::AssignSides(const std::vector<size_t>& order, size_t base) {
  order_ = order;
  base_ = base;
  sides_.clear();
  variances_.clear();
  for (const Measured& one : quantities_) {
    const Sides sides = SidesOf(one.values);
    sides_.push_back(sides);
    variances_.push_back(sides.squares / Freedom() +
                         one.resolution * one.resolution);
  }
  expected_ = ExpectedVariances(means_, variances_);
}

RunScores::Sides RunScores::SidesOf(const std::vector<double>& values) const {
  Sides sides;
  sides.base = MeanOfSide(values, order_, 0, base_);
  sides.now = MeanOfSide(values, order_, base_, order_.size());
  for (size_t i = 0; i < order_.size(); ++i) {
    const double distance =
        values[order_[i]] - (i < base_ ? sides.base : sides.now);
    sides.squares += distance * distance;
  }
  return sides;
}

RunScores::Estimate RunScores::EstimateOf(size_t quantity) const {
  const Sides& sides = sides_[quantity];
  const double difference = sides.now - sides.base;
  double variance = variances_[quantity], freedom = Freedom();
  if (expected_[quantity] > 0) {
    variance = (variance * freedom + expected_[quantity] * kExpectedFreedom) /
               (freedom + kExpectedFreedom);
    freedom += kExpectedFreedom;
  }
  const double factor = 1 / static_cast<double>(base_) +
                        1 / static_cast<double>(order_.size() - base_);
  const double error = std::sqrt(variance * factor);
  double t = std::abs(difference) / error;
  if (!(error > 0)) {
    t = difference == 0 ? 0 : std::numeric_limits<double>::infinity();
  }
  const double score =
      (freedom + 1) / 2 * std::log1p(t * t / freedom) + log_weights_[quantity];
  return {sides.base, sides.now, error, freedom, score};
}

double RunScores::Largest() const {
  double largest = -std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < quantities_.size(); ++i) {
    largest = std::max(largest, EstimateOf(i).score);
  }
  return largest;
}

double RunScores::DifferenceOfScore(size_t quantity, const Estimate& of,
                                    double score) const {
  const double log =
      2 * (score - log_weights_[quantity]) / (of.degrees_of_freedom + 1);
  return log > 0 ? std::sqrt(of.degrees_of_freedom * std::expm1(log)) *
                       of.standard_error
                 : 0;
}

}  // namespace perf2x
