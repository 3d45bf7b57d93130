// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_COMPARE_NOISE_H_
#define PERF2X_COMPARE_NOISE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace perf2x {

// One quantity, measured several times on either side: `values` has the base's
// measurements first, then the new ones.
struct Measured {
  std::vector<double> values;
  // The standard deviation of the error that counting whole samples causes in a
  // value: sqrt(1/12) of what one sample adds to the value. It is added to the
  // measured variance.
  double resolution = 0;
};

// What is known of a quantity's change, new minus base.
struct Change {
  double base = 0, now = 0;  // means
  // The simultaneous 95 % interval of now - base; absent if not known.
  std::optional<double> low, high;
  // Probability that the largest change among all quantities would be as large
  // as this one without any difference between the sides; absent if not known.
  std::optional<double> p;
};

// The level of all tests together: a change with a p up to this is beyond the
// noise.
inline constexpr double kSignificanceLevel = 0.05;
// The fewest measurements a side for a test. With 3 + 3 there are 20 ways to
// deal them to the sides. A deal and its mirror image have the same |t|, so the
// least p is 2/20, which is above kSignificanceLevel. With 4 + 4 it is 2/70.
inline constexpr size_t kFewestRuns = 4;

// In the functions below, the first `base` values of each quantity are the
// base's, all others the new side's. Each side must have at least one. All
// quantities must have the same number of values. Results are in the order of
// the quantities.

// Returns a change of which only the means are known.
Change MeansOf(const Measured& quantity, size_t base);

// Compares values that are whole recordings. Deals them to the two sides in all
// ways (or in many, at random, with a fixed seed), and takes the largest |t| of
// all quantities each time: Westfall and Young's step for many tests at once. p
// and the intervals follow from the distribution of this largest |t|. They hold
// for all quantities at once and for any distribution of the noise, if the
// order of recordings does not matter. With fewer than kFewestRuns values on a
// side, only means are set.
std::vector<Change> CompareRuns(const std::vector<Measured>& quantities,
                                size_t base);

// Compares one recording a side, whose values are blocks of time. Draws blocks
// of either side with replacement (block bootstrap, fixed seed), and sets
// intervals that hold for all quantities at once. They cover what varies within
// a recording, not from one to the next; p is never set. With one block on a
// side, only means are set.
std::vector<Change> CompareBlocks(const std::vector<Measured>& quantities,
                                  size_t base);

}  // namespace perf2x

#endif  // PERF2X_COMPARE_NOISE_H_
