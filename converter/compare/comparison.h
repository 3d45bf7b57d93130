// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_COMPARE_COMPARISON_H_
#define PERF2X_COMPARE_COMPARISON_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "converter/compare/comparison_sums.h"
#include "converter/compare/noise.h"

namespace perf2x {

// What the values of a recording are divided by before they are compared.
enum class Normalization {
  kShare,  // the recording's sum of the compared event
  kNone,   // nothing
  kWall,   // the recording's duration
  kEvent,  // the recording's sum of another event
};

// The recordings of a comparison; the base's come first. Each side has at least
// one.
struct ComparedRuns {
  size_t base = 0;                 // number of the base's recordings
  std::vector<std::string> names;  // paths
  std::string event, unit;         // what is compared
  Normalization normalization = Normalization::kShare;
  std::string normalized_by;     // for kEvent: its name
  std::vector<double> sums;      // of the event, by recording
  std::vector<double> divisors;  // by recording; above 0, and 1 for kNone
  double resolution = 0;         // mean period of a sample, in `unit`
  // If set, the columns of FunctionSums are blocks of time (ComparisonSums),
  // and `blocks` has the number of blocks by recording. Else they are
  // recordings.
  bool in_blocks = false;
  std::vector<size_t> blocks;
};

// A function, or the whole program, before and after.
struct ComparedFunction {
  std::string name, file;  // as in FunctionSums; empty for the program
  Change self, total;      // of normalized values
  // Mean values of a recording of each side, not normalized, in the event's
  // unit.
  double base_self = 0, now_self = 0, base_total = 0, now_total = 0;
  // If set, `self` or `total` was compared with the noise; see kLeastShare.
  bool tested = false;
};

struct Comparison {
  ComparedRuns runs;
  // The whole program; `self` and `total` are equal. With kShare, its values
  // are not normalized: all shares would be 1.
  ComparedFunction all;
  // Those with a change beyond the noise first. Within both groups, the largest
  // change of `self` or `total` first, in normalized values; then by name and
  // file.
  std::vector<ComparedFunction> functions;
  size_t tests = 0;  // values for which the intervals and p hold at once
};

// A value of a function that is below this share of all recordings' sum is not
// tested, only its means are set: each test makes the others less sensitive.
// The choice does not depend on the sides.
inline constexpr double kLeastShare = 0.0025;

// Compares the two sides of `runs`. Each element of `functions` has the columns
// that `runs` describes.
Comparison Compare(ComparedRuns runs, std::vector<FunctionSums> functions);

// Returns true if a change is beyond the noise; false if its p is not known.
inline bool IsBeyondNoise(const Change& change) {
  return change.p.has_value() && *change.p <= kSignificanceLevel;
}
// Returns now / base - 1. If the base has nothing, returns infinity or, if the
// new side has nothing either, 0.
double RelativeChange(const Change& change);

// The limit on increases above which the command fails.
struct FailAbove {
  // Which values: a function's own, those with its callees, or the program's.
  enum class Of { kSelf, kTotal, kAll } of = Of::kSelf;
  double share = 0;  // 0.03: an increase by more than 3 %
};
// Returns the names of the functions, or "the whole program", of which the
// value increased by more than the limit, and beyond the noise. In the order of
// Comparison::functions.
std::vector<std::string> Failures(const Comparison& comparison,
                                  const FailAbove& limit);

}  // namespace perf2x

#endif  // PERF2X_COMPARE_COMPARISON_H_
