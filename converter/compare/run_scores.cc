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

RunScores::RunScores(const std::vector<Measured>& quantities,
                     const std::vector<double>& covariate)
    : quantities_(quantities), covariate_(covariate) {
  for (const Measured& one : quantities) {
    log_weights_.push_back(std::log(one.weight));
    const double sum =
        std::accumulate(one.values.begin(), one.values.end(), 0.0);
    means_.push_back(one.is_alike ? sum / static_cast<double>(one.values.size())
                                  : 0);
  }
}

void RunScores::Deal(const std::vector<size_t>& order, size_t base) {
  order_ = order;
  base_ = base;
  if (!covariate_.empty()) DealCovariate();
  sides_.clear();
  for (const Measured& one : quantities_) {
    sides_.push_back(SidesOf(one.values));
  }
  variances_ = Variances(/*with_covariate=*/false);
  expected_ = ExpectedVariances(means_, variances_);
  if (!HasCovariate()) return;
  variances_left_ = Variances(/*with_covariate=*/true);
  expected_left_ = ExpectedVariances(means_, variances_left_);
}

void RunScores::DealCovariate() {
  const double x = MeanOfSide(covariate_, order_, 0, base_);
  const double y = MeanOfSide(covariate_, order_, base_, order_.size());
  covariate_difference_ = y - x;
  centred_.resize(order_.size());
  double squares = 0;
  for (size_t i = 0; i < order_.size(); ++i) {
    centred_[i] = covariate_[order_[i]] - (i < base_ ? x : y);
    squares += centred_[i] * centred_[i];
  }
  // Values that differ by rounding only are no covariate.
  constexpr double kSame = 1e-20;
  covariate_squares_ = squares > kSame ? squares : 0;
}

RunScores::Sides RunScores::SidesOf(const std::vector<double>& values) const {
  Sides sides;
  sides.base = MeanOfSide(values, order_, 0, base_);
  sides.now = MeanOfSide(values, order_, base_, order_.size());
  for (size_t i = 0; i < order_.size(); ++i) {
    const double distance =
        values[order_[i]] - (i < base_ ? sides.base : sides.now);
    sides.squares += distance * distance;
    if (HasCovariate()) sides.products += distance * centred_[i];
  }
  return sides;
}

std::vector<double> RunScores::Variances(bool with_covariate) const {
  std::vector<double> variances;
  variances.reserve(sides_.size());
  for (size_t i = 0; i < sides_.size(); ++i) {
    double squares = sides_[i].squares, freedom = Freedom();
    if (with_covariate) {
      squares -= SlopeOf(sides_[i]) * sides_[i].products;
      freedom -= 1;
    }
    const double resolution = quantities_[i].resolution;
    variances.push_back(std::max(0.0, squares) / freedom +
                        resolution * resolution);
  }
  return variances;
}

// Sets the error, the freedom and the score of a difference that has the
// variance of a measurement times `factor`.
void RunScores::SetScore(size_t quantity, double factor,
                         const std::vector<double>& variances,
                         const std::vector<double>& expected,
                         Estimate* to) const {
  double variance = variances[quantity];
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
  const Sides& sides = sides_[quantity];
  Estimate plain;
  plain.base = sides.base;
  plain.now = sides.now;
  plain.difference = sides.now - sides.base;
  plain.freedom = Freedom();
  const double factor = 1 / static_cast<double>(base_) +
                        1 / static_cast<double>(order_.size() - base_);
  Estimate adjusted = plain;
  SetScore(quantity, factor, variances_, expected_, &plain);
  if (!HasCovariate() || !quantities_[quantity].is_alike) return plain;
  adjusted.difference -= SlopeOf(sides) * covariate_difference_;
  adjusted.freedom -= 1;
  SetScore(quantity,
           factor + covariate_difference_ * covariate_difference_ /
                        covariate_squares_,
           variances_left_, expected_left_, &adjusted);
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
