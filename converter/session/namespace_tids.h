// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_NAMESPACE_TIDS_H_
#define PERF2X_SESSION_NAMESPACE_TIDS_H_

#include <cstdint>

#include "absl/container/flat_hash_map.h"

namespace perf2x {

// The tids in a tracepoint's payload, which are those of the root PID namespace
// (pid_namespaces(7)), as the tids of all other data, which are those of perf's
// own. The two differ if perf ran in a container. Then a tid is known if a
// thread was recorded while it went off its CPU: that sample has both. Charges
// no budget. Not thread-safe.
class NamespaceTids {
 public:
  // Takes note of a thread's tid in the payload of its own sample, and of the
  // sample's. A `tid` that is not positive tells nothing: the thread is idle,
  // has exited, or is not in perf's namespace. Returns true if TidOf changed.
  bool Learn(int32_t root_tid, int32_t tid) {
    if (tid <= 0 || TidOf(root_tid) == tid) return false;
    differ_ = true;
    tids_[root_tid] = tid;
    return true;
  }
  // Returns true if a difference was learned.
  bool differ() const { return differ_; }
  // Returns a tid of a payload as one of perf's namespace; -1: not known. The
  // idle thread is 0 in both. Until a difference was learned, all are the same.
  int32_t TidOf(int32_t root_tid) const {
    if (!differ_ || root_tid == 0) return root_tid;
    const auto it = tids_.find(root_tid);
    return it == tids_.end() ? -1 : it->second;
  }
  // Returns the memory in bytes.
  uint64_t memory() const {
    constexpr uint64_t kOfEntry = 9;  // the pair, and a byte of the table
    return tids_.capacity() * kOfEntry;
  }

 private:
  bool differ_ = false;
  absl::flat_hash_map<int32_t, int32_t> tids_;  // of those that differ, or may
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_NAMESPACE_TIDS_H_
