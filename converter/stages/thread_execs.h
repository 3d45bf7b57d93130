// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_STAGES_THREAD_EXECS_H_
#define PERF2X_STAGES_THREAD_EXECS_H_

#include <cstdint>
#include <optional>
#include <utility>

#include "absl/container/btree_set.h"

namespace perf2x {

// Execs that a thread called that was not its process's main thread. Such an
// exec ends all other threads of the process, without a record for each. Not
// thread-safe.
class ThreadExecs {
 public:
  void Add(int32_t pid, uint64_t time) { execs_.insert({pid, time}); }
  // Returns the time of the first such exec of the process, at `time` or later.
  std::optional<uint64_t> FirstSince(int32_t pid, uint64_t time) const {
    const auto exec = execs_.lower_bound({pid, time});
    if (exec == execs_.end() || exec->first != pid) return std::nullopt;
    return exec->second;
  }
  // Returns the approximate memory in bytes.
  uint64_t memory() const { return execs_.size() * sizeof(Exec) * 2; }

 private:
  using Exec = std::pair<int32_t, uint64_t>;  // pid and time
  absl::btree_set<Exec> execs_;
};

}  // namespace perf2x

#endif  // PERF2X_STAGES_THREAD_EXECS_H_
