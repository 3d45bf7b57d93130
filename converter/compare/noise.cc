// SPDX-License-Identifier: Apache-2.0
#include "converter/compare/noise.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "converter/compare/run_scores.h"

namespace perf2x {
namespace {

// All ways to deal the measurements are tried up to this number; else, so many.
constexpr size_t kMaxDeals = 20'000, kDeals = 5'000, kDraws = 1'000;

// A small generator, the same on all machines (SplitMix64).
class Random {
 public:
  size_t Below(size_t limit) { return Next() % limit; }

 private:
  uint64_t Next() {
    uint64_t x = state_ += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
  }
  uint64_t state_ = 1;
};

struct Difference {
  double base = 0, now = 0, error = 0;  // means; standard error of now - base
};

// The mean and the sum of squared distances from it.
struct Spread {
  double mean = 0, squares = 0;
};

template <class Value>
Spread SpreadOf(size_t count, Value value) {
  Spread spread;
  for (size_t i = 0; i < count; ++i) spread.mean += value(i);
  spread.mean /= static_cast<double>(count);
  for (size_t i = 0; i < count; ++i) {
    const double distance = value(i) - spread.mean;
    spread.squares += distance * distance;
  }
  return spread;
}

// The difference between the measurements order[0, base) and the others.
Difference DifferenceOf(const Measured& quantity,
                        const std::vector<size_t>& order, size_t base) {
  const auto value = [&](size_t i) { return quantity.values[order[i]]; };
  const size_t now = order.size() - base;
  const Spread x = SpreadOf(base, value);
  const Spread y = SpreadOf(now, [&](size_t i) { return value(base + i); });
  const double freedom =
      std::max<double>(1, static_cast<double>(order.size()) - 2);
  const double variance = (x.squares + y.squares) / freedom +
                          quantity.resolution * quantity.resolution;
  return {x.mean, y.mean,
          std::sqrt(variance * (1 / static_cast<double>(base) +
                                1 / static_cast<double>(now)))};
}

double Ratio(double difference, double error) {
  if (error > 0) return std::abs(difference) / error;
  return difference == 0 ? 0 : std::numeric_limits<double>::infinity();
}

// The number of ways to choose `base` of `all`, at most kMaxDeals + 1.
size_t WaysToDeal(size_t all, size_t base) {
  double ways = 1;
  for (size_t i = 1; i <= base; ++i) {
    ways *= static_cast<double>(all - base + i) / static_cast<double>(i);
    if (ways > static_cast<double>(kMaxDeals)) return kMaxDeals + 1;
  }
  return static_cast<size_t>(std::lround(ways));
}

// Returns 0, 1, …, count - 1.
std::vector<size_t> InOrder(size_t count) {
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

// Returns the largest score of each deal; the first is the real one.
std::vector<double> LargestOfDeals(RunScores& scores, size_t all, size_t base) {
  std::vector<size_t> order = InOrder(all);
  std::vector<double> largest;
  if (WaysToDeal(all, base) > kMaxDeals) {
    Random random;
    for (size_t i = 0; i < kDeals; ++i) {
      scores.AssignSides(order, base);
      largest.push_back(scores.Largest());
      for (size_t at = all - 1; at > 0; --at) {
        std::swap(order[at], order[random.Below(at + 1)]);
      }
    }
    return largest;
  }
  std::vector<bool> is_now(all);
  std::fill(is_now.begin() + static_cast<std::ptrdiff_t>(base), is_now.end(),
            true);
  do {
    size_t first = 0, second = base;
    for (size_t i = 0; i < all; ++i) order[is_now[i] ? second++ : first++] = i;
    scores.AssignSides(order, base);
    largest.push_back(scores.Largest());
  } while (std::next_permutation(is_now.begin(), is_now.end()));
  return largest;
}

// The smallest value that at most kSignificanceLevel of the values exceed.
double Threshold(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const double place =
      std::ceil((1 - kSignificanceLevel) * static_cast<double>(values.size()));
  return values[std::min(values.size() - 1, static_cast<size_t>(place))];
}

void SetInterval(double difference, double width, Change* change) {
  // Of measurements without any spread, the width is no number.
  change->low = difference - (std::isfinite(width) ? width : 0);
  change->high = difference + (std::isfinite(width) ? width : 0);
}

}  // namespace

Change MeansOf(const Measured& quantity, size_t base) {
  Change change;
  for (size_t i = 0; i < quantity.values.size(); ++i) {
    (i < base ? change.base : change.now) += quantity.values[i];
  }
  change.base /= static_cast<double>(base);
  change.now /= static_cast<double>(quantity.values.size() - base);
  return change;
}

std::vector<Change> CompareRuns(const std::vector<Measured>& quantities,
                                size_t base) {
  std::vector<Change> changes(quantities.size());
  if (quantities.empty()) return changes;
  const size_t all = quantities[0].values.size();
  if (std::min(base, all - base) < kMinRuns) {
    std::transform(quantities.begin(), quantities.end(), changes.begin(),
                   [base](const Measured& one) { return MeansOf(one, base); });
    return changes;
  }
  RunScores scores(quantities);
  const std::vector<double> largest = LargestOfDeals(scores, all, base);
  const double threshold = Threshold(largest);
  std::vector<size_t> order = InOrder(all);
  scores.AssignSides(order, base);
  for (size_t i = 0; i < quantities.size(); ++i) {
    const RunScores::Estimate estimate = scores.EstimateOf(i);
    changes[i].base = estimate.base;
    changes[i].now = estimate.now;
    SetInterval(estimate.now - estimate.base,
                scores.DifferenceOfScore(i, estimate, threshold), &changes[i]);
    // Sums in another order differ in their last digits.
    const double least =
        estimate.score - 1e-9 * std::max(1.0, std::abs(estimate.score));
    const auto as_large =
        std::count_if(largest.begin(), largest.end(),
                      [least](double one) { return one >= least; });
    changes[i].p =
        static_cast<double>(as_large) / static_cast<double>(largest.size());
  }
  return changes;
}

std::vector<Change> CompareBlocks(const std::vector<Measured>& quantities,
                                  size_t base) {
  std::vector<Change> changes(quantities.size());
  if (quantities.empty()) return changes;
  const size_t all = quantities[0].values.size();
  std::vector<size_t> order = InOrder(all);
  std::vector<Difference> real;
  real.reserve(quantities.size());
  for (const Measured& quantity : quantities) {
    real.push_back(DifferenceOf(quantity, order, base));
  }
  // Of one block a side, all draws are the same.
  const bool varies = std::min(base, all - base) > 1;
  Random random;
  std::vector<double> ts;
  for (size_t draw = 0; draw < kDraws; ++draw) {
    for (size_t i = 0; i < all; ++i) {
      order[i] =
          i < base ? random.Below(base) : base + random.Below(all - base);
    }
    double largest = 0;
    for (size_t i = 0; i < quantities.size(); ++i) {
      const Difference d = DifferenceOf(quantities[i], order, base);
      const double moved = (d.now - d.base) - (real[i].now - real[i].base);
      largest = std::max(largest, Ratio(moved, d.error));
    }
    ts.push_back(largest);
  }
  const double threshold = Threshold(ts);
  for (size_t i = 0; i < quantities.size(); ++i) {
    changes[i].base = real[i].base;
    changes[i].now = real[i].now;
    if (!varies) continue;
    SetInterval(real[i].now - real[i].base, threshold * real[i].error,
                &changes[i]);
  }
  return changes;
}

}  // namespace perf2x
