// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_LBR_STACKS_H_
#define PERF2X_SESSION_LBR_STACKS_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "converter/perf/records/attr.h"
#include "converter/perf/records/sample.h"

namespace perf2x {

// Builds user stacks from the processor's LBR call stack, its last calls that
// have not returned (perf record --call-graph lbr). The LBR holds some 16 or 32
// calls. At most 1024 outer calls are taken from the thread's previous sample,
// if the LBR's index suggests that they have not returned (perf's
// --stitch-lbr). This heuristic errs if calls returned and were made again. Not
// thread-safe.
class LbrStacks {
 public:
  // Returns true if `sample`, whose event has `attr`, has an LBR call stack.
  static bool HasCallStack(const SampleRecord& sample, const EventAttr& attr) {
    return (attr.branch_sample_type & kBranchCallStack) != 0 &&
           !sample.branches.empty();
  }
  // Appends the stack of a sample to `*chain`, as words of a callchain with
  // PERF_CONTEXT_USER first. Keeps the calls for the thread's next sample.
  // Requires HasCallStack. `ip` is the thread's address in user space. If it is
  // 0 (not known), the target of the innermost call is used.
  void Append(const SampleRecord& sample, uint64_t ip,
              std::vector<uint64_t>* chain);

  // Returns the approximate memory of the calls of all threads, in bytes.
  uint64_t memory() const {
    return last_.size() * sizeof(Snapshot) + calls_ * sizeof(Call);
  }

 private:
  struct Call {
    uint64_t from = 0, to = 0;
    friend bool operator==(const Call&, const Call&) = default;
  };
  struct Snapshot {
    uint64_t index = 0;       // LBR slot of calls[0]
    std::vector<Call> calls;  // innermost first, with those from before
  };
  // Appends to `*now` the outer calls that are in `before`, the thread's
  // previous sample, if they have not returned since.
  void TakeOver(const Snapshot& before, Snapshot* now) const;

  absl::flat_hash_map<int32_t, Snapshot> last_;  // by thread id
  uint64_t calls_ = 0;                           // in all snapshots
  uint64_t ring_ = 1;  // number of LBR slots, as far as seen
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_LBR_STACKS_H_
