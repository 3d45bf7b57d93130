// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_HWTRACE_ETM_FLOW_H_
#define PERF2X_HWTRACE_ETM_FLOW_H_

#include <cstdint>
#include <optional>

#include "converter/hwtrace/etm_element.h"

namespace perf2x {

// A jump of a program from one piece of code to another.
struct EtmStep {
  uint64_t source = 0;  // last instruction before the jump; 0: not known
  uint64_t target = 0;  // first instruction after it; 0: not known
  // True for a taken branch. False for an exception and for a gap in the trace.
  bool branch = false;
};

// Finds the branches between the ranges of a CPU's trace. Not thread-safe.
class EtmFlow {
 public:
  // Adds the CPU's next element. Returns the step to `element` if that is a
  // range that does not continue the last range, or an exception after a taken
  // branch. Otherwise returns nullopt. After a gap or an exception, the step to
  // the next range is no branch.
  std::optional<EtmStep> Add(const EtmElement& element);
  // Ends the trace. Returns the step from the last range to an unknown target;
  // nullopt if there was no range. The object can then be used for another
  // trace.
  std::optional<EtmStep> End();

 private:
  bool has_range_ = false;
  bool taken_ = false;      // the last range ends with a taken branch
  bool connected_ = false;  // nothing came after the last range
  uint64_t last_ = 0, end_ = 0;
};

}  // namespace perf2x

#endif  // PERF2X_HWTRACE_ETM_FLOW_H_
