// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SESSION_LBR_STACKS_H_
#define PERF2X_SESSION_LBR_STACKS_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "converter/perf/records/attr.h"
#include "converter/perf/records/sample.h"

namespace perf2x {

// User stacks that the processor kept as its last calls that have not returned
// (perf record --call-graph lbr). Holds some 16 or 32 calls; deeper ones are
// taken over from the thread's sample before, where the processor's index of
// records shows that they are still below (perf's --stitch-lbr). That is what
// it looks like, not a proof: calls that were left and made again may differ.
class LbrStacks {
 public:
  static bool Has(const SampleRecord& sample, const EventAttr& attr) {
    return (attr.branch_sample_type & kBranchCallStack) != 0 &&
           !sample.branches.empty();
  }
  // Appends the stack of such a sample, as words of a callchain, to `*chain`.
  // `ip` is where the thread was in user space; 0: not known.
  void Append(const SampleRecord& sample, uint64_t ip,
              std::vector<uint64_t>* chain);

  // About how many bytes of memory the calls of all threads take.
  uint64_t memory() const {
    return last_.size() * sizeof(Snapshot) + calls_ * sizeof(Call);
  }

 private:
  struct Call {
    uint64_t from = 0, to = 0;
    friend bool operator==(const Call&, const Call&) = default;
  };
  struct Snapshot {
    uint64_t index = 0;       // the processor's, of calls[0]
    std::vector<Call> calls;  // innermost first, with those taken over
  };
  // Adds the calls below the last of `*now`, which were known of the thread's
  // sample before.
  void TakeOver(const Snapshot& before, Snapshot* now) const;

  absl::flat_hash_map<int32_t, Snapshot> last_;  // by thread id
  uint64_t calls_ = 0;                           // in all of these
  uint64_t ring_ = 1;  // slots of the processor's memory, as far as seen
};

}  // namespace perf2x

#endif  // PERF2X_SESSION_LBR_STACKS_H_
