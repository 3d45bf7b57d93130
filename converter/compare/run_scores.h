// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_COMPARE_RUN_SCORES_H_
#define PERF2X_COMPARE_RUN_SCORES_H_

#include <cstddef>
#include <vector>

#include "converter/compare/noise.h"

namespace perf2x {

// Scores how much the two sides of each quantity differ, for any assignment of
// the measurements to the sides. docs/diff.md has the formulas. Not
// thread-safe.
class RunScores {
 public:
  // An estimated difference between the sides.
  struct Estimate {
    double base = 0, now = 0;  // means of the sides
    // The standard error of now - base, and its degrees of freedom.
    double standard_error = 0, degrees_of_freedom = 0;
    double score = 0;
  };

  // `quantities` must outlive this; see CompareRuns. Each must have at least 8
  // values.
  explicit RunScores(const std::vector<Measured>& quantities);

  // Assigns the measurements order[0, base) to the base, all others to the new
  // side. To be called before the functions below.
  void AssignSides(const std::vector<size_t>& order, size_t base);
  // Returns the estimate for a quantity, by its index.
  Estimate EstimateOf(size_t quantity) const;
  // Returns the highest score of all quantities.
  double Largest() const;
  // Returns the difference between the sides at which `of`, an estimate for
  // this quantity, has the score `score`; 0 if every difference reaches it.
  double DifferenceOfScore(size_t quantity, const Estimate& of,
                           double score) const;

 private:
  // What a deal makes of a quantity.
  struct Sides {
    double base = 0, now = 0;  // means
    double squares = 0;        // of distances from the sides' means, summed
  };

  Sides SidesOf(const std::vector<double>& values) const;
  double Freedom() const { return static_cast<double>(order_.size()) - 2; }

  const std::vector<Measured>& quantities_;
  std::vector<double> log_weights_;
  std::vector<double> means_;  // of quantities that are alike; others 0

  // Of the current deal:
  std::vector<size_t> order_;
  size_t base_ = 0;
  // By quantity.
  std::vector<Sides> sides_;
  std::vector<double> variances_, expected_;
};

}  // namespace perf2x

#endif  // PERF2X_COMPARE_RUN_SCORES_H_
