// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_COMPARE_NOISE_H_
#define PERF2X_COMPARE_NOISE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace perf2x {

// One quantity, measured several times on either side. `values` has the base's
// measurements first, then the new side's.
struct Measured {
  std::vector<double> values;
  // The standard deviation of a value's rounding error: sqrt(1/12) of the value
  // of one sample, as samples are counted whole. Its square is added to the
  // measured variance.
  double resolution = 0;
  // If set, the variance is expected to follow from the mean, by the trend of
  // all quantities with this flag (ExpectedVariances). They must have one unit.
  bool follows_variance_trend = false;
  // Weight of the quantity's test, above 0 and at most 1. Of two quantities
  // with the same |t|, the one with more weight has the higher score.
  double weight = 1;
};

// What is known of a quantity's change, new minus base.
struct Change {
  double base = 0, now = 0;  // means
  // The simultaneous 95 % interval of now - base; absent if not known.
  std::optional<double> low, high;
  // The p-value, corrected for the number of quantities; absent if not known.
  // It is the probability that the largest score of all quantities (see
  // CompareRuns) is at least this quantity's if the sides do not differ.
  std::optional<double> p;
};

// The significance level. A change with a p of at most this is beyond the
// noise.
inline constexpr double kSignificanceLevel = 0.05;
// The fewest measurements per side for a test. 3 + 3 measurements can be
// assigned to the sides in 20 ways. Swapped sides have the same |t|, so the
// least p is 2/20, above kSignificanceLevel. With 4 + 4, it is 2/70.
inline constexpr size_t kMinRuns = 4;

// In the functions below, the first `base` values of each quantity are the
// base's, all others the new side's. Each side must have at least one. All
// quantities must have the same number of values. Results are in the order of
// the quantities.

// Returns a change of which only the means are known.
Change MeansOf(const Measured& quantity, size_t base);

// Compares values that are whole recordings, by a permutation test on the
// largest score of all quantities (Westfall and Young's single-step maxT).
// Tries all permutations, or many random ones with a fixed seed. p and the
// intervals hold for all quantities at once. They hold for any distribution of
// the noise, if the order of recordings does not matter. With fewer than
// kMinRuns values on a side, only means are set.
//
// A score grows with |t| and with Measured::weight. The variance in t is the
// measured one. With Measured::follows_variance_trend, the weighted mean of
// measured and expected variance (ExpectedVariances, for the same permutation)
// replaces it.
std::vector<Change> CompareRuns(const std::vector<Measured>& quantities,
                                size_t base);

// Compares one recording per side, whose values are blocks of time. Sets
// intervals by a block bootstrap with a fixed seed; they hold for all
// quantities at once. The intervals cover what varies within a recording, not
// between recordings. Never sets p. With one block on a side, only means are
// set.
std::vector<Change> CompareBlocks(const std::vector<Measured>& quantities,
                                  size_t base);

}  // namespace perf2x

#endif  // PERF2X_COMPARE_NOISE_H_
