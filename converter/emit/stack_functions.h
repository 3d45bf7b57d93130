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

// Limits the functions of a stack to kMax: a stack may have thousands of frames
// with a thousand inlined functions each. A flat frame shows only its outermost
// function, the last of its Lines. Adds up functions from the outermost frame
// inwards. The first frame that exceeds kMax is flat, and so are all frames
// inside it. Once the budget is exhausted, all frames are flat. Counts affected
// stacks and frames in the diagnostics. Not thread-safe.
class StackFunctions {
 public:
  // Enough for 8,000 frames with 8 functions each; known programs have far
  // fewer.
  static constexpr size_t kMax = 1 << 16;

  // All arguments must outlive this; `diagnostics` may be null.
  StackFunctions(TraceTables& tables, Budget& budget, Diagnostics* diagnostics)
      : tables_(tables),
        budget_(budget),
        diagnostics_(diagnostics),
        skip_counter_("inlined functions of a stack", budget, diagnostics) {}

  // Returns how many innermost frames of a stack are flat; mostly 0. `frames`
  // are leaf first. Symbolizes them. Charges a step of work for each shown
  // function.
  size_t CountFlatFrames(absl::Span<const FrameId> frames) {
    return CountFlatFrames(
        frames, [this](FrameId frame) { return tables_.Lines(frame).size(); });
  }
  // As above; `functions_at(frame)` returns the number of the frame's Lines.
  template <class F>
  size_t CountFlatFrames(absl::Span<const FrameId> frames, F functions_at) {
    if (skip_counter_.CountIfExhausted()) return frames.size();
    size_t functions = 0, left = frames.size();
    for (; left > 0; --left) {
      const size_t more = functions_at(frames[left - 1]);
      if (more > 1 && functions + more > kMax) {
        ++too_many_;
        break;
      }
      functions += more;
    }
    budget_.Spend(Budget::kWork, functions + left);
    return left;
  }
  // Returns the functions to show at a frame, innermost first.
  absl::Span<const Line> LinesOf(FrameId frame, bool flat) {
    const absl::Span<const Line> lines = tables_.Lines(frame);
    return flat ? lines.last(1) : lines;
  }
  // Returns true for each flat node of `tree`, by NodeId; an empty vector if no
  // node is flat. All frames must be symbolized. Charges nothing. Nodes are
  // also flat if their inlined functions need more memory than the budget has
  // left.
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
  uint64_t flat_nodes_ = 0;  // with inlined functions that are not shown
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_STACK_FUNCTIONS_H_
