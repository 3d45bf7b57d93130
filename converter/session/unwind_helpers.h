// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_UNWIND_HELPERS_H_
#define PERF2X_SESSION_UNWIND_HELPERS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "converter/session/user_stacks.h"
#include "converter/unwind/cfi_snapshot.h"

namespace perf2x {

// Unwinds stacks as UserStacks does, but on another thread, with a copy of its
// call frame information (CFI). Not thread-safe.
class UnwindHelper {
 public:
  // Replaces the CFI. To be called before the first Append.
  void SetCfi(const UserStacks::CfiSnapshots& known) { known_ = known; }
  // As UserStacks::Append. Returns false if the CFI does not suffice: then the
  // UserStacks must unwind the stack. On failure, surplus words are left in
  // `*chain`, and only `unwound->work` is valid.
  bool Append(const UnwindInput& input, std::vector<uint64_t>* chain,
              UnwindOutcome* unwound);

 private:
  struct ForAbi {
    SnapshotTables tables;
    std::optional<Unwinder> unwinder;
  };
  UserStacks::CfiSnapshots known_;
  std::array<ForAbi, UserStacks::kAbis> abis_;
};

// A pool of helpers of one UserStacks, one for each thread that unwinds at a
// time. For a stack that a helper cannot unwind, the UserStacks reads more CFI.
// Update copies this CFI for the helpers. The time of this copy does not affect
// results.
class UnwindHelpers {
 public:
  // Acquire returns a helper with the CFI of the last Update. Release puts it
  // back into the pool. Both are thread-safe.
  std::unique_ptr<UnwindHelper> Acquire();
  void Release(std::unique_ptr<UnwindHelper> helper);

  // Copies new CFI of `stacks` once enough stacks were missed to pay for the
  // copy. `missed` is the number of stacks, since the last call, that no helper
  // could unwind. To be called regularly, on the thread that uses `stacks`.
  void Update(const UserStacks& stacks, size_t missed);

 private:
  size_t missed_ = 0;  // since the last copy
  std::mutex mutex_;   // guards what follows
  UserStacks::CfiSnapshots known_;
  std::vector<std::unique_ptr<UnwindHelper>> idle_;
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_UNWIND_HELPERS_H_
