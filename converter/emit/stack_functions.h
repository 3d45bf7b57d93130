// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_STACK_FUNCTIONS_H_
#define PERF2X_EMIT_STACK_FUNCTIONS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "converter/base/budget.h"
#include "converter/base/diagnostics.h"
#include "converter/emit/skip_counter.h"
#include "converter/emit/stack_tree.h"
#include "converter/model/trace_tables.h"

namespace perf2x {

// Bounds the functions of stacks: a recorded stack has thousands of frames, and
// a frame may have a thousand inlined functions. A flat frame stands for its
// outermost function only, the last of its Lines. If the functions of a stack's
// outer frames and those of the next one would be more than kMax, that frame
// and all inner ones are flat; so are frames beyond the budget. Counts in the
// diagnostics what is left out. Not thread-safe.
class StackFunctions {
 public:
  // No program is known to come near it: a chain of 8,000 words with 8
  // functions each.
  static constexpr size_t kMax = 1 << 16;

  // All arguments must outlive this; `diagnostics` may be null.
  StackFunctions(TraceTables& tables, Budget& budget, Diagnostics* diagnostics)
      : tables_(tables),
        budget_(budget),
        diagnostics_(diagnostics),
        skip_counter_("inlined functions of a stack", budget, diagnostics) {}

  // Returns the number of flat frames of a stack, its innermost ones; mostly 0.
  // `frames` are leaf first. Symbolizes them. Charges a step of work for each
  // function that counts. If the budget is exhausted, all frames are flat.
  size_t FlatFrames(absl::Span<const FrameId> frames);
  // Returns the functions that count at a frame, innermost first.
  absl::Span<const Line> LinesOf(FrameId frame, bool flat) {
    const absl::Span<const Line> lines = tables_.Lines(frame);
    return flat ? lines.last(1) : lines;
  }
  // Returns for each node of `tree` if it is flat; an empty vector if none is.
  // All frames must be symbolized. Charges nothing: the nodes have no more
  // inlined functions than a part of the budget's memory, which must be left.
  std::vector<bool> FlatNodes(const StackTree& tree);
  // Adds the numbers of stacks and frames that lost functions to the
  // diagnostics. To be called once.
  void Report() const;

 private:
  TraceTables& tables_;
  Budget& budget_;
  Diagnostics* const diagnostics_;
  SkipCounter skip_counter_;
  uint64_t too_many_ = 0;    // stacks with more than kMax functions
  uint64_t flat_nodes_ = 0;  // with inlined functions that do not count
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_STACK_FUNCTIONS_H_
