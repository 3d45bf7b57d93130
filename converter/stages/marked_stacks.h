// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_STAGES_MARKED_STACKS_H_
#define PERF2X_STAGES_MARKED_STACKS_H_

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "converter/base/budget.h"
#include "converter/base/diagnostics.h"
#include "converter/model/stack_table.h"
#include "converter/model/trace_tables.h"

namespace perf2x {

// Makes stacks whose innermost frames are marks: frames that are no code but
// say something about their callers, "[sleeping]". While this object exists, it
// is the frame source of the tables. It gets all other frames from the former
// frame source. Locate always returns kNoId. As thread-safe as FrameSource.
//
// Charges a step of work for each word of a new stack with marks. Does not
// charge memory; see memory().
class MarkedStacks final : public FrameSource {
 public:
  // Id of a list of marks, from 0.
  using MarksId = uint32_t;

  // Both must outlive this object. `tables` must have a frame source, which
  // must outlive the last request for frames.
  MarkedStacks(TraceTables& tables, Budget& budget);
  // Restores the former frame source. Frames of marked stacks must not be
  // requested any more.
  ~MarkedStacks() override;

  // Returns the id of a list of marks, innermost first; it must not be empty.
  // Equal lists have one id. A text is the name of the mark's frame, in
  // brackets.
  MarksId InternMarks(const std::vector<std::string>& texts);
  // Returns a stack with `marks` as innermost frames and the frames of `stack`
  // as their callers. If `stack` is kNoId, there are no callers. Adds the
  // result to the tables if it is new. `stack` must have no marks. If the
  // budget is exhausted, a new result has no callers, and is counted.
  StackId WithMarks(MarksId marks, StackId stack) {
    Made& recent = recent_[(stack * kMarksOfStack + marks) % recent_.size()];
    if (stack != kNoId && recent.stack == stack && recent.marks == marks) {
      return recent.made;
    }
    return Find(marks, stack);
  }
  // Adds the number of calls of WithMarks that omitted the callers because the
  // budget was exhausted. `diagnostics` may be null.
  void ReportSkipped(Diagnostics* diagnostics) const;
  // Returns the approximate memory in bytes, without the tables.
  uint64_t memory() const;

  // See FrameSource. The marks of a stack come first.
  void AppendPlaces(StackId stack, FramePlaces* places) override;
  void AppendPlacesOfChain(AddressSpaceId space,
                           absl::Span<const uint8_t> chain,
                           FramePlaces* places) override {
    rest_.AppendPlacesOfChain(space, chain, places);
  }
  std::unique_ptr<PlaceFinder> MakeFinder() override;

 private:
  class Finder;

  bool IsMarked(StackId stack) const {
    return stack < is_marked_.size() && is_marked_[stack];
  }
  absl::Span<const uint8_t> AppendMarks(StackId stack,
                                        std::vector<uint64_t>* chain,
                                        FramePlaces* places) const;
  uint32_t MarkOf(const std::string& text);
  StackId Find(MarksId marks, StackId stack);
  StackId Make(MarksId marks, StackId stack);

  TraceTables& tables_;
  Budget& budget_;
  FrameSource& rest_;
  absl::flat_hash_map<std::string, uint32_t> mark_ids_;
  std::vector<FramePlace> marks_;  // by number of the mark
  absl::flat_hash_map<std::vector<uint32_t>, MarksId> list_ids_;
  std::vector<std::vector<uint32_t>> lists_;  // by MarksId
  absl::flat_hash_map<std::pair<MarksId, StackId>, StackId> made_;
  struct Made {
    MarksId marks = 0;
    StackId stack = kNoId, made = kNoId;
  };
  static constexpr uint32_t kMarksOfStack = 16;  // most stacks have fewer
  std::array<Made, 256> recent_;                 // some of made_
  std::vector<StackId> without_callers_;  // by MarksId; kNoId: not made yet
  std::vector<bool> is_marked_;           // by StackId
  uint64_t skipped_ = 0;                  // results without their callers
  const char* resource_ = "";             // exhausted at the first of them
  // The words of a marked stack: the number of its marks, the marks, and the
  // words of the stack that it is made of.
  std::vector<uint64_t> words_;
  std::vector<uint64_t> room_, chain_;  // buffers
};

}  // namespace perf2x

#endif  // PERF2X_STAGES_MARKED_STACKS_H_
