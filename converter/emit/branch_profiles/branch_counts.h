// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_BRANCH_PROFILES_BRANCH_COUNTS_H_
#define PERF2X_EMIT_BRANCH_PROFILES_BRANCH_COUNTS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "converter/base/budget.h"
#include "converter/emit/branch_profiles/code_places.h"
#include "converter/emit/branch_profiles/flow_counter.h"
#include "converter/emit/branch_profiles/flow_table.h"
#include "converter/emit/branch_profiles/recent_branches.h"
#include "converter/model/emitter.h"

namespace perf2x {

// Decides which branches of a branch stack are consecutive. A run
// (fall-through) is the code from the target of a branch to the source of the
// next branch. A run counts if both ends are in one DSO.
enum class FallThroughRule {
  // As perf2bolt. Outside of the kernel, branches from or to the kernel are
  // ignored: they are interrupts, which return to the interrupted code. In the
  // kernel, neighbours in the branch stack are consecutive.
  kPerf2bolt,
  // As llvm-profgen. The branches from or to one DSO are consecutive, even with
  // branches of other DSOs between them.
  kLlvmProfgen,
};

// Counts the branches of samples, the runs between them, and the sampled
// addresses. Charges memory to the budget. Once the budget is exhausted, counts
// only branches, runs and addresses that were counted before, and drops new
// ones. Not thread-safe.
class BranchCounts {
 public:
  // Numbers of things that are not counted, by reason.
  struct Dropped {
    uint64_t wrong_path = 0;  // branches: speculated, not retired
    // With kPerf2bolt: branches from or to the kernel whose kernel ends have no
    // place.
    uint64_t kernel = 0;
    uint64_t call_stacks = 0;  // samples with the processor's call stack
    // Samples with only some kinds of branches (BranchChoice::kSome). Their
    // branches count; their runs do not.
    uint64_t some_kinds = 0;
    uint64_t budget = 0;  // branches, runs and addresses: budget exhausted
  };

  // `places` and `budget` must outlive the object. Only branches from or to
  // code that has places count. If `on_thread` is set, sums on a separate
  // thread.
  BranchCounts(FallThroughRule rule, CodePlaces& places, Budget& budget,
               bool on_thread = false);

  // Counts the sample's address and its branches, Sample::count times. Counts
  // saturate. Must not be called after Finish.
  void Add(const Sample& sample);
  // Waits until all branches are summed up. To be called once, before what
  // follows.
  void Finish();

  // Returns the branches that were taken, with the runs after them. A branch
  // may have several flows.
  const FlowTable& flows() const { return counter_.flows(); }
  // Returns, by place, the number of samples with this address.
  const absl::flat_hash_map<PlaceId, uint64_t>& hits() const { return hits_; }
  // Returns the number of samples with branches. Samples with the processor's
  // call stack are not included.
  uint64_t samples_with_branches() const { return samples_with_branches_; }
  // Returns what was not counted, by reason.
  const Dropped& dropped() const { return dropped_; }
  FallThroughRule rule() const { return rule_; }

 private:
  // Where a branch comes from.
  struct Source {
    PlaceId place = kOutside;
    DsoId dso = kNoId;  // of the place; kNoId: outside
  };
  // The source of the branch after the current one among those of a file.
  struct Later {
    uint64_t sample = 0;  // in which it was set
    PlaceId source = kOutside;
  };
  using Recent = RecentBranches::Entry;

  void AddStack(const Sample& sample);
  void FindSlots(const Sample& sample);
  void AddBranch(const Branch& branch, Recent& recent, bool has_runs);
  void Replace(AddressSpaceId space, const Branch& branch, Recent* recent);
  void Count(const Branch& branch, PlaceId end, Flow* flow);
  void Flush(Flow* flow);
  void GrowRecent();
  PlaceId LaterSource(DsoId dso, const Source& later) const;
  void SetLater(const Recent& recent);
  void ChargeMemory();

  const FallThroughRule rule_;
  CodePlaces& places_;
  Budget& budget_;
  Budget::Share memory_;
  FlowCounter counter_;
  RecentBranches recent_;
  absl::flat_hash_map<PlaceId, uint64_t> hits_;
  uint64_t samples_with_branches_ = 0;
  uint64_t times_ = 1;  // that the sample counts
  Dropped dropped_;
  std::vector<RecentBranches::Slot> slots_;  // of a sample's branches
  // Sources of the branches after the current one of a sample: outside of the
  // kernel, and in it.
  Source later_, kernel_later_;
  std::vector<Later> later_by_dso_;  // the same with kLlvmProfgen
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_BRANCH_PROFILES_BRANCH_COUNTS_H_
