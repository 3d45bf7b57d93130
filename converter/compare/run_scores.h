// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_COMPARE_RUN_SCORES_H_
#define PERF2X_COMPARE_RUN_SCORES_H_

#include <cstddef>
#include <vector>

#include "converter/compare/noise.h"

namespace perf2x {

// Scores the differences between two sides of quantities, for any deal of the
// measurements to the sides: docs/diff.md has the formulas. A score depends on
// the other quantities only in ways that are the same for all deals. Not
// thread-safe.
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
  // The expected variances, without (0) and with (1) the covariate.
  using Expected = std::vector<double>;

  void SetScore(size_t quantity, double variance, double factor,
                const Expected& expected, Estimate* to) const;
  bool HasCovariate() const { return covariate_squares_ > 0; }

  const std::vector<Measured>& quantities_;
  const std::vector<double>& covariate_;
  const Expected expected_, expected_with_covariate_;
  std::vector<double> log_weights_;
  // Of the current deal.
  std::vector<size_t> order_;
  size_t base_ = 0;
  // The covariate in the order of `order_`, minus the mean of the side; the sum
  // of its squares; the difference of the sides' means.
  std::vector<double> centred_;
  double covariate_squares_ = 0, covariate_difference_ = 0;
};

}  // namespace perf2x

#endif  // PERF2X_COMPARE_RUN_SCORES_H_
