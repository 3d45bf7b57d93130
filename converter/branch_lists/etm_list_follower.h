// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BRANCH_LISTS_ETM_LIST_FOLLOWER_H_
#define PERF2X_BRANCH_LISTS_ETM_LIST_FOLLOWER_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "converter/base/budget.h"
#include "converter/branch_lists/branch_list_reader.h"
#include "converter/hwtrace/etm_decoder.h"
#include "converter/hwtrace/etm_flow.h"

namespace perf2x {

// Follows branch lists through machine code, as the trace that they were made
// of: it writes the packets of an ETMv4 trace for OpenCSD. Not thread-safe.
class EtmListFollower {
 public:
  using Sink = absl::FunctionRef<absl::Status(const EtmStep&)>;

  // What became of a list.
  enum class End : uint8_t {
    kWhole,
    kNoInstruction,  // none can begin at its address
    kNoCode,         // some of its code is not known
    kLost,           // it goes on after a branch whose target it does not say
    kSkipped,        // the budget is exhausted
  };

  // Returns true if this build can follow branch lists.
  static bool InThisBuild() { return EtmDecoder::InThisBuild(); }

  // `code` must have the code at the addresses of lists; `is_64_bit` says that
  // it is A64 code. Both must outlive the follower.
  EtmListFollower(EtmCode* code, bool is_64_bit, Budget& budget);

  // Passes the branches of `list`, which has one, to `sink`, the oldest first,
  // until they end or cannot be followed. The first step leads to where the
  // list begins. The last one leads from where it ends, to 0 unless that is a
  // direct branch that was taken. Charges work to the budget. Fails with the
  // sink's errors.
  absl::Status Follow(const EtmBranchList& list, Sink sink, End* end);

 private:
  bool IsThumb(uint64_t address) const {
    return !is_64_bit_ && (address & 1) != 0;
  }
  void Synchronize();
  void AppendStart(uint64_t address);
  void AppendAtoms(const EtmBranchList& list, size_t* next);
  absl::Status Decode(Sink sink, End* end);
  absl::Status FinishBranch(Sink sink);
  absl::Span<const EtmElement> DecodePackets();

  const bool is_64_bit_;
  Budget& budget_;
  std::unique_ptr<EtmDecoder> decoder_;
  EtmFlow flow_;
  size_t branches_ = 0;  // of the list that were followed
  std::vector<uint8_t> packets_;
  std::vector<EtmElement> elements_;
};

}  // namespace perf2x

#endif  // PERF2X_BRANCH_LISTS_ETM_LIST_FOLLOWER_H_
