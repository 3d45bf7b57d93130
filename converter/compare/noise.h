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
  // What rounding to whole samples does to a value; bounds the noise from
  // below.
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

inline constexpr double kLevel = 0.05;
// The fewest measurements a side with which p can be at most kLevel: with 4 + 4
// there are 70 ways to deal them to the sides, with 3 + 3 only 20.
inline constexpr size_t kFewestRuns = 4;

// Returns a change of which only the means are known.
Change MeansOf(const Measured& quantity, size_t base);

// Compares recordings: measurements are whole recordings. Deals them to the two
// sides in all ways (or in many, at random, with a fixed seed), and takes the
// largest |t| of all quantities each time: Westfall and Young's step for many
// tests at once. p and the intervals follow from its distribution, which holds
// whatever the distribution of the noise, as long as order does not matter. All
// quantities must have the same number of values, the first `base` of which are
// the base's. Without kFewestRuns a side, only means are set.
std::vector<Change> CompareRuns(const std::vector<Measured>& quantities,
                                size_t base);

// Compares one recording a side, of which measurements are blocks of time.
// Draws blocks of either side with replacement (block bootstrap, fixed seed),
// and sets intervals that hold for all quantities at once. They cover what
// varies within a recording, not from one to the next; p is never set. With one
// block on a side, only means are set.
std::vector<Change> CompareBlocks(const std::vector<Measured>& quantities,
                                  size_t base);

}  // namespace perf2x

#endif  // PERF2X_COMPARE_NOISE_H_
