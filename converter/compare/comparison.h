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

// The divisor of a recording's values, before they are compared.
enum class Normalization {
  kShare,  // the recording's sum of the compared event
  kNone,   // nothing
  kWall,   // the recording's duration
  kEvent,  // the recording's sum of another event
};

// The recordings (runs) of a comparison, the base's first. Each side has at
// least one.
struct ComparedRuns {
  size_t base = 0;                 // number of the base's recordings
  std::vector<std::string> names;  // paths
  // What is compared; `event` is a distinct name, see EventNames.
  std::string event, unit;
  Normalization normalization = Normalization::kShare;
  std::string normalized_by;     // for kEvent: its name
  std::vector<double> sums;      // of the event, by recording
  std::vector<double> divisors;  // by recording; above 0, and 1 for kNone
  double resolution = 0;         // mean period of a sample, in `unit`
  // If set, the columns of FunctionSums are blocks of time (see
  // ComparisonSums). Otherwise each recording is a column.
  bool in_blocks = false;
  std::vector<size_t> blocks;  // ComparisonSums::BlocksOf, by recording
};

// A function, or the whole program, before and after.
struct ComparedFunction {
  std::string name, file;  // as in FunctionSums; empty for the program
  Change self, total;      // of normalized values
  // Means over the recordings of a side, not normalized, in ComparedRuns::unit.
  double base_self = 0, now_self = 0, base_total = 0, now_total = 0;
  // If set, `self` or `total` was tested; see kMinTestedShare.
  bool tested = false;
};

// The result of Compare.
struct Comparison {
  ComparedRuns runs;
  // The whole program; `self` and `total` are equal. With kShare, its values
  // are not normalized: all shares would be 1.
  ComparedFunction all;
  // Functions with a change beyond the noise come first. Within both groups,
  // the largest change of `self` or `total` comes first, in normalized values.
  // Ties are in order of name and file.
  std::vector<ComparedFunction> functions;
  size_t tests = 0;  // number of values tested together, `all` included
};

// A function's value is tested only if it has at least this share of the sum of
// all recordings. Each test makes all tests less sensitive. The Change of a
// value that is not tested has only the means.
inline constexpr double kMinTestedShare = 0.0025;
// The maximum number of tested values. If more have that share, the largest are
// tested.
inline constexpr size_t kMaxTests = 2000;

// Compares the two sides of `runs`. Each element of `functions` has the columns
// that `runs` describes.
Comparison Compare(ComparedRuns runs, std::vector<FunctionSums> functions);

// Returns true if a change is beyond the noise; false if its p is not known.
inline bool IsBeyondNoise(const Change& change) {
  return change.p.has_value() && *change.p <= kSignificanceLevel;
}
// Returns now / base - 1. If `base` is 0, returns infinity; 0 if both are 0.
double RelativeChange(const Change& change);

// A limit of --fail-above. The command fails if a value increases by more.
struct FailAbove {
  // The values that the limit applies to: `self` of functions, `total` of
  // functions, or the whole program's.
  enum class Scope { kSelf, kTotal, kAll } scope = Scope::kSelf;
  double share = 0;  // 0.03: an increase by more than 3 %
};
// Returns the names of functions whose value increased by more than the limit,
// and beyond the noise. Keeps the order of Comparison::functions. With kAll,
// returns "the whole program" or nothing.
std::vector<std::string> NamesAbove(const Comparison& comparison,
                                    const FailAbove& limit);

}  // namespace perf2x

#endif  // PERF2X_COMPARE_COMPARISON_H_
