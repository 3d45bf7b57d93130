// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CONVERT_DIAGNOSIS_H_
#define PERF2X_CONVERT_DIAGNOSIS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "converter/session/recording_facts.h"
#include "converter/session/stack_subset.h"

namespace perf2x {

struct ConvertReport;

// A problem of a recording, and what to do about it.
struct Finding {
  std::string id;         // "no-frame-pointers"; does not change
  std::string message;    // one line
  std::string next_step;  // what to do about it, one line; may be empty
};

// Numbers of samples, by the frames in their stacks.
struct StackCounts {
  // Samples whose innermost user frame is in a mapping, and those of them that
  // have no caller in a mapping.
  uint64_t user = 0, without_callers = 0;
  // The callers in these samples (user frames after the innermost one), and
  // those of them that are in no mapping.
  uint64_t callers = 0, unmapped_callers = 0;
  uint64_t kernel = 0;  // samples with kernel frames

  static StackCounts FromStacks(const StackSubset& stacks);
};

// Returns those problems listed in docs/summary.md that the recording has, by
// the thresholds there, most serious first. All other members of `report` must
// be set.
std::vector<Finding> Diagnose(const ConvertReport& report);

}  // namespace perf2x

#endif  // PERF2X_CONVERT_DIAGNOSIS_H_
