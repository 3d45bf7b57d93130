// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_BRANCH_PROFILES_BRANCH_COUNTS_H_
#define PERF2X_EMIT_BRANCH_PROFILES_BRANCH_COUNTS_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "converter/base/budget.h"
#include "converter/emit/branch_profiles/code_places.h"
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
  struct Taken {
    PlaceId source = kOutside, target = kOutside;
    uint64_t count = 0, mispredicted = 0;
  };
  // Entries and samples that do not count, by reason.
  struct Dropped {
    uint64_t wrong_path = 0;   // speculated, not retired
    uint64_t kernel = 0;       // into or out of the kernel
    uint64_t call_stacks = 0;  // samples with the processor's call stack
    uint64_t some_kinds = 0;   // samples with some kinds of branches: no runs
    uint64_t budget = 0;       // distinct counters beyond the budget
  };

  // `places` and `budget` must outlive the object.
  BranchCounts(BranchReading reading, CodePlaces& places, Budget& budget);

  void Add(const Sample& sample);

  // The distinct branches. A run refers to one by its position.
  const std::vector<Taken>& taken() const { return taken_; }
  // Calls `visit` with each run: the position of the branch that led to its
  // start, the place of its last instruction, and its count.
  template <class F>
  void ForEachRun(F visit) const {
    for (const auto& [key, count] : runs_) {
      visit(static_cast<uint32_t>(key >> 32), static_cast<PlaceId>(key), count);
    }
  }
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

  void AddStack(const Sample& sample);
  bool Skips(const Branch& branch);
  void AddRun(uint32_t branch, PlaceId end);
  uint32_t Count(PlaceId source, PlaceId target, bool mispredicted);
  PlaceId LaterSource(PlaceId target) const;
  void SetLater(PlaceId source, PlaceId target);
  bool HasRoom();

  static constexpr uint32_t kNone = ~0u;

  const BranchReading reading_;
  CodePlaces& places_;
  Budget& budget_;
  Budget::Share memory_;
  uint64_t distinct_ = 0;  // entries of the tables below
  std::vector<Taken> taken_;
  absl::flat_hash_map<uint64_t, uint32_t> taken_ids_;  // by source and target
  absl::flat_hash_map<uint64_t, uint64_t> runs_;  // by branch and last place
  absl::flat_hash_map<PlaceId, uint64_t> hits_;
  uint64_t samples_with_branches_ = 0;
  Dropped dropped_;
  PlaceId later_ = kOutside;         // of the current sample
  std::vector<Later> later_by_dso_;  // the same with kByFile
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_BRANCH_PROFILES_BRANCH_COUNTS_H_
