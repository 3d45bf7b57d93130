// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_COMPARE_RUN_SCORES_H_
#define PERF2X_COMPARE_RUN_SCORES_H_

#include <cstddef>
#include <vector>

#include "converter/compare/noise.h"

namespace perf2x {

// Scores the differences between two sides of quantities, for any deal of the
// measurements to the sides: docs/diff.md has the formulas. Not thread-safe.
class RunScores {
 public:
  // An estimated difference between the sides, new minus base.
  struct Estimate {
    double base = 0, now = 0;  // means of the sides
    // now - base, or what is left of it without what goes along with the
    // covariate; its standard error and the degrees of freedom of that.
    double difference = 0, error = 0, freedom = 0;
    double score = 0;
  };

  // `quantities` must outlive this; see CompareRuns for both. Each must have at
  // least 8 values.
  RunScores(const std::vector<Measured>& quantities,
            const std::vector<double>& covariate);

  // Deals the measurements: order[0, base) to the base, all others to the new
  // side. To be called before the following.
  void Deal(const std::vector<size_t>& order, size_t base);
  // Returns the estimate for a quantity: of the two with and without covariate,
  // the one with the higher score.
  Estimate EstimateOf(size_t quantity) const;
  // Returns the highest score of all quantities.
  double Largest() const;
  // Returns how large a difference like `of`, of this quantity, must be to
  // have the score `score`; 0 if any difference has it.
  double DifferenceOfScore(size_t quantity, const Estimate& of,
                           double score) const;

 private:
  // What a deal makes of a quantity.
  struct Sides {
    double base = 0, now = 0;  // means
    // Sums of squared distances from the sides' means, and of their products
    // with the covariate's.
    double squares = 0, products = 0;
  };

  void DealCovariate();
  Sides SidesOf(const std::vector<double>& values) const;
  double SlopeOf(const Sides& sides) const {
    return sides.products / covariate_squares_;
  }
  std::vector<double> Variances(bool with_covariate) const;
  void SetScore(size_t quantity, double factor,
                const std::vector<double>& variances,
                const std::vector<double>& expected, Estimate* to) const;
  bool HasCovariate() const { return covariate_squares_ > 0; }
  double Freedom() const { return static_cast<double>(order_.size()) - 2; }

  const std::vector<Measured>& quantities_;
  const std::vector<double>& covariate_;
  std::vector<double> log_weights_;
  std::vector<double> means_;  // of quantities that are alike; others 0

  // Of the current deal:
  std::vector<size_t> order_;
  size_t base_ = 0;
  // The covariate in the order of `order_`, minus the mean of the side; the sum
  // of its squares; the difference of the sides' means.
  std::vector<double> centred_;
  double covariate_squares_ = 0, covariate_difference_ = 0;
  // By quantity: the measured and the expected variances; the latter two
  // without what goes along with the covariate.
  std::vector<Sides> sides_;
  std::vector<double> variances_, expected_, variances_left_, expected_left_;
};

}  // namespace perf2x

#endif  // PERF2X_COMPARE_RUN_SCORES_H_
