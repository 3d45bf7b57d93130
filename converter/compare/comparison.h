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

// What values are divided by before they are compared.
enum class Normalization {
  kShare,  // the recording's sum of the compared event
  kNone,
  kWall,   // the recording's duration
  kEvent,  // the recording's sum of another event
};

// The recordings of a comparison; the base's come first.
struct ComparedRuns {
  size_t base = 0;                 // number of the base's recordings
  std::vector<std::string> names;  // paths
  std::string event, unit;         // what is compared
  Normalization normalization = Normalization::kShare;
  std::string normalized_by;     // for kEvent: its name
  std::vector<double> sums;      // of the event, by recording
  std::vector<double> divisors;  // by recording; 1 for kNone
  double resolution = 0;         // the period of one sample, in `unit`
  bool in_blocks = false;        // the functions' columns are blocks
  std::vector<size_t> blocks;    // by recording; for in_blocks
};

// A function, or the whole program, before and after.
struct ComparedFunction {
  std::string name, file;
  // Of normalized values.
  Change self, total;
  // Means by recording, in the event's unit.
  double base_self = 0, now_self = 0, base_total = 0, now_total = 0;
  // If set, the change was compared with the noise; small functions are not.
  bool tested = false;
};

struct Comparison {
  ComparedRuns runs;
  ComparedFunction all;  // sums, not normalized by themselves
  // By the size of the larger of their changes, beyond the noise first.
  std::vector<ComparedFunction> functions;
  size_t tests = 0;  // quantities that the intervals and p hold for together
};

// What is below this share of all recordings' sum is not tested: each test
// makes the others less sensitive. The choice does not depend on the sides.
inline constexpr double kLeastShare = 0.0025;

Comparison Compare(ComparedRuns runs, std::vector<FunctionSums> functions);

// Returns true if a change is beyond the noise.
inline bool IsBeyondNoise(const Change& change) {
  return change.p.has_value() && *change.p <= kLevel;
}
// Returns now / base - 1; infinite for what is new, 0 for what is on no side.
double RelativeChange(const Change& change);

// What may fail a build.
struct FailAbove {
  enum class Of { kSelf, kTotal, kAll } of = Of::kSelf;
  double share = 0;  // 0.03: an increase by more than 3 %
};
// Returns the functions, or "the whole program", of which a change is above the
// limit and beyond the noise.
std::vector<std::string> Failures(const Comparison& comparison,
                                  const FailAbove& limit);

}  // namespace perf2x

#endif  // PERF2X_COMPARE_COMPARISON_H_
