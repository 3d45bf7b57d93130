// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_BRANCH_PROFILES_BRANCH_COUNTS_H_
#define PERF2X_EMIT_BRANCH_PROFILES_BRANCH_COUNTS_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "converter/base/budget.h"
#include "converter/emit/branch_profiles/code_places.h"
#include "converter/emit/branch_profiles/flow_table.h"
#include "converter/model/emitter.h"

namespace perf2x {

// How a branch stack is read. Between two branches in a row, the code from the
// target of the earlier to the source of the later one ran through.
enum class BranchReading {
  // As perf2bolt: branches into or out of the kernel are interrupts, which
  // return to where they came; all others are in a row.
  kSkipsKernel,
  // As llvm-profgen: branches between other files do not count. The rest of
  // each file's branches are in a row.
  kByFile,
  // As kSkipsKernel, but for the kernel's own profile.
  kAll,
};

// Counts the branches of samples, the code that ran through between them, and
// the sampled addresses. Memory grows with the distinct ones; beyond the budget
// new ones are skipped and counted. Not thread-safe.
class BranchCounts {
 public:
  // Entries and samples that do not count, by reason.
  struct Dropped {
    uint64_t wrong_path = 0;   // speculated, not retired
    uint64_t kernel = 0;       // into or out of the kernel
    uint64_t call_stacks = 0;  // samples with the processor's call stack
    uint64_t some_kinds = 0;   // samples with some kinds of branches: no runs
    uint64_t budget = 0;       // counts of what is beyond the budget
  };

  // `places` and `budget` must outlive the object.
  BranchCounts(BranchReading reading, CodePlaces& places, Budget& budget);

  void Add(const Sample& sample);

  // The branches that were taken.
  const FlowTable& taken() const { return taken_; }
  // The runs, up to Flow::end, after a branch.
  const FlowTable& runs() const { return runs_; }
  // Sampled addresses, by place.
  const absl::flat_hash_map<PlaceId, uint64_t>& hits() const { return hits_; }
  uint64_t samples_with_branches() const { return samples_with_branches_; }
  const Dropped& dropped() const { return dropped_; }

 private:
  // The source of the branch after the current one among those of a file.
  struct Later {
    uint64_t sample = 0;  // in which it was set
    PlaceId source = kOutside;
  };
  // A branch of the current sample whose counters are being fetched.
  struct Fetched {
    PlaceId source, target, end;
    bool mispredicted;
    uint64_t branch_hash, run_hash;
  };

  void AddStack(const Sample& sample);
  void CountFetched();
  bool Skips(const Branch& branch);
  Flow* Count(uint64_t hash, PlaceId source, PlaceId target, PlaceId end,
              FlowTable* table);
  PlaceId LaterSource(PlaceId target) const;
  void SetLater(PlaceId source, PlaceId target);
  bool HasRoom();

  const BranchReading reading_;
  CodePlaces& places_;
  Budget& budget_;
  Budget::Share memory_;
  uint64_t added_ = 0;  // entries of the tables
  FlowTable taken_, runs_;
  absl::flat_hash_map<PlaceId, uint64_t> hits_;
  uint64_t samples_with_branches_ = 0;
  Dropped dropped_;
  std::vector<Fetched> fetched_;
  PlaceId later_ = kOutside;         // of the current sample
  std::vector<Later> later_by_dso_;  // the same with kByFile
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_BRANCH_PROFILES_BRANCH_COUNTS_H_
