// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_HWTRACE_ETM_FLOW_H_
#define PERF2X_HWTRACE_ETM_FLOW_H_

#include <cstdint>
#include <optional>

#include "converter/hwtrace/etm_element.h"

namespace perf2x {

// A step from code that ran through to other code that did.
struct EtmStep {
  uint64_t source = 0;  // the last instruction that ran; 0: not known
  uint64_t target = 0;  // the first one after it; 0: not known
  // A branch was taken. If not set, the step is an exception, or what lies
  // between is not known.
  bool branch = false;
};

// Finds the branches between the ranges of a CPU's trace. Not thread-safe.
class EtmFlow {
 public:
  // Adds the next element. Returns the step that it makes known: a range that
  // does not follow the code before it. After a gap or an exception, the step
  // to the next range is no branch.
  std::optional<EtmStep> Add(const EtmElement& element);
  // Ends the trace. Returns the step from the last range to unknown code.
  std::optional<EtmStep> End();

 private:
  bool has_range_ = false;
  bool taken_ = false;      // the last range ends with a taken branch
  bool connected_ = false;  // nothing came after the last range
  uint64_t last_ = 0, end_ = 0;
};

}  // namespace perf2x

#endif  // PERF2X_HWTRACE_ETM_FLOW_H_
