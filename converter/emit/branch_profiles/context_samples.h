// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_BRANCH_PROFILES_CONTEXT_SAMPLES_H_
#define PERF2X_EMIT_BRANCH_PROFILES_CONTEXT_SAMPLES_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "converter/base/budget.h"
#include "converter/emit/branch_profiles/code_places.h"
#include "converter/emit/branch_profiles/word_lists.h"
#include "converter/model/emitter.h"
#include "converter/model/trace_tables.h"

namespace perf2x {

// The distinct samples with branches of a recording, with their stacks. Charges
// memory to the budget. Once that is exhausted, skips samples that are new. Not
// thread-safe.
class ContextSamples {
 public:
  // All must outlive the object.
  ContextSamples(TraceTables& tables, CodePlaces& places, Budget& budget)
      : tables_(tables), places_(places), budget_(budget), memory_(budget) {}

  // Counts the sample, Sample::count times. Ignores samples without branches
  // whose code has places, and those whose stacks do not have all branches.
  void Add(const Sample& sample);

  // Calls `visit(stack, branches, count)` for each distinct sample. `stack` has
  // the place of the sampled instruction, then that of the last byte of each
  // call, the innermost first; neighbours without places are one. `branches`
  // has pairs of source and target, the latest branch first, without those that
  // the processor only speculated. A pair of kOutside says that the branch
  // before it only bounds a run (IsOnlyBound).
  template <class F>
  void ForEach(F visit) const {
    for (const Group& group : groups_) {
      visit(lists_.Get(group.stack), lists_.Get(group.branches), group.count);
    }
  }
  // Returns true if a sample has a caller.
  bool has_callers() const { return has_callers_; }
  // Returns the number of samples that Add has skipped for the budget.
  uint64_t skipped() const { return skipped_; }

 private:
  // Equal samples.
  struct Group {
    WordLists::Id stack = 0, branches = 0;
    uint64_t count = 0;
  };
  void SetStack(StackId stack);
  void SetBranches(const Sample& sample);

  TraceTables& tables_;
  CodePlaces& places_;
  Budget& budget_;
  Budget::Share memory_;
  WordLists lists_;            // stacks and branches
  std::vector<Group> groups_;  // in the order of their first samples
  absl::flat_hash_map<std::pair<WordLists::Id, WordLists::Id>, size_t> known_;
  bool has_callers_ = false;
  uint64_t skipped_ = 0;
  uint64_t work_ = 0;              // not yet charged
  FramePlaces frames_;             // of the current sample
  std::vector<PlaceId> stack_;     // of the current sample
  std::vector<PlaceId> branches_;  // of the current sample
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_BRANCH_PROFILES_CONTEXT_SAMPLES_H_
