// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CONVERT_DIAGNOSIS_H_
#define PERF2X_CONVERT_DIAGNOSIS_H_

#include <string>
#include <vector>

namespace perf2x {

struct ConvertReport;

// A problem of a recording, and what to do about it.
struct Finding {
  // "no-frame-pointers"; the same in all versions. Findings may share an id:
  // each multiplexed event has one.
  std::string id;
  std::string message;    // one line
  std::string next_step;  // what to do about it, one line; may be empty
};

// Returns the problems of a recording, most serious first, by the thresholds in
// docs/summary.md; empty if there are none. All members of `report` except
// `findings` must be set.
std::vector<Finding> Diagnose(const ConvertReport& report);

}  // namespace perf2x

#endif  // PERF2X_CONVERT_DIAGNOSIS_H_
