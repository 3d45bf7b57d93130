// SPDX-License-Identifier: Apache-2.0
#include "converter/compare/run_scores.h"

#include <algorithm>
#include <cmath>
#include <limits>

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

RunScores::RunScores(const std::vector<Measured>& quantities,
                     const std::vector<double>& covariate)
    : quantities_(quantities),
      covariate_(covariate),
      expected_(ExpectedVariances(quantities, {})),
      expected_with_covariate_(ExpectedVariances(quantities, covariate)) {
  for (const Measured& one : quantities) {
    log_weights_.push_back(std::log(one.weight));
  }
}

void RunScores::Deal(const std::vector<size_t>& order, size_t base) {
  order_ = order;
  base_ = base;
  covariate_squares_ = 0;
  if (covariate_.empty()) return;
  const double x = MeanOfSide(covariate_, order, 0, base);
  const double y = MeanOfSide(covariate_, order, base, order.size());
  covariate_difference_ = y - x;
  centred_.resize(order.size());
  double squares = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    centred_[i] = covariate_[order[i]] - (i < base ? x : y);
    squares += centred_[i] * centred_[i];
  }
  // Values that differ by rounding only are no covariate.
  constexpr double kSame = 1e-20;
  if (squares > kSame) covariate_squares_ = squares;
}

// Sets the error, the freedom and the score of a difference that has the
// `variance` of a measurement times `factor`.
void RunScores::SetScore(size_t quantity, double variance, double factor,
                         const Expected& expected, Estimate* to) const {
  const Measured& measured = quantities_[quantity];
  variance += measured.resolution * measured.resolution;
  if (expected[quantity] > 0) {
    variance =
        (variance * to->freedom + expected[quantity] * kExpectedFreedom) /
        (to->freedom + kExpectedFreedom);
    to->freedom += kExpectedFreedom;
  }
  to->error = std::sqrt(variance * factor);
  double t = std::abs(to->difference) / to->error;
  if (!(to->error > 0)) {
    t = to->difference == 0 ? 0 : std::numeric_limits<double>::infinity();
  }
  to->score = (to->freedom + 1) / 2 * std::log1p(t * t / to->freedom) +
              log_weights_[quantity];
}

RunScores::Estimate RunScores::EstimateOf(size_t quantity) const {
  const Measured& measured = quantities_[quantity];
  Estimate plain;
  plain.base = MeanOfSide(measured.values, order_, 0, base_);
  plain.now = MeanOfSide(measured.values, order_, base_, order_.size());
  plain.difference = plain.now - plain.base;
  plain.freedom = static_cast<double>(order_.size()) - 2;
  double squares = 0, products = 0;
  for (size_t i = 0; i < order_.size(); ++i) {
    const double distance =
        measured.values[order_[i]] - (i < base_ ? plain.base : plain.now);
    squares += distance * distance;
    if (HasCovariate()) products += distance * centred_[i];
  }
  const double factor = 1 / static_cast<double>(base_) +
                        1 / static_cast<double>(order_.size() - base_);
  Estimate adjusted = plain;
  SetScore(quantity, squares / plain.freedom, factor, expected_, &plain);
  if (!HasCovariate() || !measured.is_alike) return plain;
  const double slope = products / covariate_squares_;
  adjusted.difference -= slope * covariate_difference_;
  adjusted.freedom -= 1;
  const double left = std::max(0.0, squares - slope * products);
  SetScore(quantity, left / adjusted.freedom,
           factor + covariate_difference_ * covariate_difference_ /
                        covariate_squares_,
           expected_with_covariate_, &adjusted);
  // A change is shown as the difference of means, so it must have its sign.
  const bool agrees = (adjusted.difference > 0) == (plain.difference > 0);
  return agrees && adjusted.score > plain.score ? adjusted : plain;
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
  const double log = 2 * (score - log_weights_[quantity]) / (of.freedom + 1);
  return log > 0 ? std::sqrt(of.freedom * std::expm1(log)) * of.error : 0;
}

}  // namespace perf2x
