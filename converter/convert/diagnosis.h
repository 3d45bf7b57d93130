// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CONVERT_DIAGNOSIS_H_
#define PERF2X_CONVERT_DIAGNOSIS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "converter/session/recording_facts.h"
#include "converter/session/stack_sample.h"

namespace perf2x {

struct ConvertReport;

// What is wrong with a recording, and the cure.
struct Finding {
  std::string id;         // "no-frame-pointers"; does not change
  std::string message;    // one line
  std::string next_step;  // what to do about it, one line; may be empty
};

// Samples by what their stacks show.
struct StackCounts {
  // With an innermost user frame in known code, and those of them that have no
  // caller in known code.
  uint64_t user = 0, without_callers = 0;
  // User frames after the innermost in these, and those of them in no mapping.
  uint64_t callers = 0, unmapped_callers = 0;
  uint64_t kernel = 0;  // with kernel frames

  static StackCounts Of(const StackSample& stacks);
};

// Recognises what docs/summary.md lists, by the thresholds there, from a report
// that has everything else. In the order of what costs most.
std::vector<Finding> Diagnose(const ConvertReport& report);

}  // namespace perf2x

#endif  // PERF2X_CONVERT_DIAGNOSIS_H_
