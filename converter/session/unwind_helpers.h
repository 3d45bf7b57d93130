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
#include "converter/unwind/known_cfi.h"

namespace perf2x {

// Unwinds stacks by what some UserStacks know. Used by one thread at a time.
class UnwindHelper {
 public:
  // To be called before the first stack, and whenever more is known.
  void Use(const UserStacks::Known& known) { known_ = known; }
  // As UserStacks::Append. Returns false if that takes files or rows that are
  // not known: `*chain` then has some words too many, `*unwound` has only the
  // work, and the UserStacks must unwind the stack.
  bool Append(const DumpedStack& stack, std::vector<uint64_t>* chain,
              UnwoundStack* unwound);

 private:
  struct ForAbi {
    KnownTables tables;
    std::optional<Unwinder> unwinder;
  };
  UserStacks::Known known_;
  std::array<ForAbi, UserStacks::kAbis> abis_;
};

// The helpers of some UserStacks, one for each thread that unwinds at a time.
// Stacks that helpers cannot unwind teach the UserStacks new rows, which
// helpers learn by Update. What helpers know when does not change any result.
class UnwindHelpers {
 public:
  // Lends a helper that knows what was known at the last Update. Return takes
  // it back. Thread-safe.
  std::unique_ptr<UnwindHelper> Take();
  void Return(std::unique_ptr<UnwindHelper> helper);

  // To be called on the thread of `stacks`, now and then. `missed` stacks had
  // to be unwound by `stacks` since the last call. Copies what `stacks` know,
  // once the missed stacks have cost as much as that.
  void Update(const UserStacks& stacks, size_t missed);

 private:
  size_t missed_ = 0;  // since the last copy
  std::mutex mutex_;   // guards what follows
  UserStacks::Known known_;
  std::vector<std::unique_ptr<UnwindHelper>> idle_;
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_UNWIND_HELPERS_H_
