// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_BRANCH_PROFILES_BRANCH_UNWINDER_H_
#define PERF2X_EMIT_BRANCH_PROFILES_BRANCH_UNWINDER_H_

#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "converter/base/budget.h"
#include "converter/emit/branch_profiles/branch_profile.h"
#include "converter/emit/branch_profiles/checked_runs.h"
#include "converter/emit/branch_profiles/code_contexts.h"
#include "converter/model/code_image.h"

namespace perf2x {

// The counters of one calling context.
struct ContextCounts {
  CodeContexts::Id context = 0;
  CodeCounts counts;
};

// Finds in which calling context the branches of a stack, and the code between
// them, ran. The stack of calls is that at the sample; from the latest branch
// on, calls and returns are undone. As the VirtualUnwinder of llvm-profgen 19
// (PerfReader.cpp), without pseudo probes. Addresses are link-time addresses;
// BranchProfile::kElsewhere is code elsewhere. Charges memory and work to the
// budget; once it is exhausted, skips the rest of a sample and those after it.
// Not thread-safe.
class BranchUnwinder {
 public:
  // A branch whose ends are instructions or kElsewhere, but not both the
  // latter. If `is_bound` is set, it does not count, and only bounds a run.
  struct Jump {
    uint64_t source = 0, target = 0;
    bool is_bound = false;
  };
  // Numbers of samples that are not counted, and of branches after which the
  // calls were not known, by reason.
  struct Dropped {
    uint64_t at_edge = 0;  // samples: where a function begins or returns
    uint64_t budget = 0;   // samples: budget exhausted, counted in part or not
    uint64_t unpaired = 0, bogus = 0;  // branches
  };

  // Both must outlive the object. `code` must be able to decode.
  BranchUnwinder(CodeImage& code, Budget& budget)
      : code_(code),
        budget_(budget),
        memory_(budget),
        contexts_(code, budget) {}

  // Returns the instruction at the address; kElsewhere if none starts there.
  uint64_t InstructionAt(uint64_t address);
  // Counts `count` equal samples. `stack` has the sampled address, then that of
  // the last byte of each call, the innermost first. `jumps` has the latest
  // branch first; it must not be empty.
  void Add(absl::Span<const uint64_t> stack, absl::Span<const Jump> jumps,
           uint64_t count);

  // Returns the counters, ordered by the texts of the contexts. To be called
  // once, last.
  std::vector<ContextCounts> TakeCounts();
  const CodeContexts& contexts() const { return contexts_; }
  const Dropped& dropped() const { return dropped_; }

 private:
  // A call, or the instruction that runs, below its callers.
  using NodeId = uint32_t;
  static constexpr NodeId kRoot = 0;
  static constexpr CodeContexts::Id kNotAsked = ~CodeContexts::Id{0};
  struct Node {
    NodeId parent = kRoot;
    CodeContexts::Id context = kNotAsked;
    uint64_t address = 0;
  };
  // Part of a run that is inlined at one place.
  struct Part {
    uint64_t from = 0, to = 0;
  };
  struct Parts {
    uint32_t first = 0, size = 0;  // in parts_; size 0: the run is not possible
  };
  // Context, is_branch, from and to.
  using Key = std::tuple<CodeContexts::Id, bool, uint64_t, uint64_t>;

  bool IsAtEdge(uint64_t address);
  bool IsNearEdge(uint64_t address);
  // Returns the call that is the instruction before `address`; 0: none is.
  uint64_t CallBefore(uint64_t address);
  // Sets leaf_ to the calls of a sample. Returns false if it does not count.
  bool SetCalls(absl::Span<const uint64_t> stack, uint64_t leaf);
  NodeId Child(NodeId parent, uint64_t address);
  void SwitchTo(uint64_t address);
  CodeContexts::Id ContextOf(NodeId node);
  Parts PartsOf(uint64_t from, uint64_t to);
  void UndoRun(uint64_t from, uint64_t to, uint64_t count);
  void UndoJump(const Jump& jump);
  void Count(CodeContexts::Id context, bool is_branch, uint64_t from,
             uint64_t to, uint64_t count);
  // Counts steps of work. Returns false once the budget is exhausted.
  bool Charge(uint64_t steps) {
    constexpr uint64_t kAtOnce = 1 << 14;
    work_ += steps;
    if (work_ >= kAtOnce) Account();
    return !budget_.exhausted();
  }
  void Account();

  CodeImage& code_;
  Budget& budget_;
  Budget::Share memory_;
  CodeContexts contexts_;
  std::vector<Node> nodes_ = {Node()};
  absl::flat_hash_map<std::pair<NodeId, uint64_t>, NodeId> children_;
  std::vector<Part> parts_;  // of runs, the last part first
  absl::flat_hash_map<std::pair<uint64_t, uint64_t>, Parts> runs_;
  absl::flat_hash_map<Key, uint64_t> counts_;
  absl::flat_hash_map<uint64_t, bool> at_edge_;  // by address
  absl::flat_hash_map<uint64_t, uint64_t> calls_before_;
  uint64_t work_ = 0;  // that budget_ does not account for yet
  Dropped dropped_;
  // While a sample is counted: where it is, and if its calls are known.
  NodeId leaf_ = kRoot;
  bool knows_calls_ = true;
  std::vector<uint64_t> calls_;  // of the current sample, innermost first
  std::vector<uint64_t> path_;
  std::vector<CodeImage::Range> ranges_;
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_BRANCH_PROFILES_BRANCH_UNWINDER_H_
