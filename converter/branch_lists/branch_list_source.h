// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BRANCH_LISTS_BRANCH_LIST_SOURCE_H_
#define PERF2X_BRANCH_LISTS_BRANCH_LIST_SOURCE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "converter/base/budget.h"
#include "converter/base/diagnostics.h"
#include "converter/branch_lists/branch_list_reader.h"
#include "converter/branch_lists/etm_list_follower.h"
#include "converter/branch_lists/listed_code.h"
#include "converter/model/emitter.h"
#include "converter/model/trace_tables.h"

namespace perf2x {

// Passes a file of branch lists to an emitter as a trace: samples of the event
// "branches" that consist of their branch stacks. Not thread-safe.
class BranchListSource final : private BranchListSink {
 public:
  // They saturate.
  struct Totals {
    uint64_t samples = 0;   // how often all lists, or samples of LBR, occurred
    uint64_t branches = 0;  // taken, times the counts of their lists
  };

  // Adds the event and a thread to `tables`, which must be empty. All arguments
  // must outlive the source.
  BranchListSource(TraceTables& tables, Budget& budget,
                   Diagnostics& diagnostics);

  // Calls Begin, OnThread and OnSample of `emitter`. `tables` must have its
  // symbolizer by now. Sample::count is the count of a list; a sample has some
  // thousand of its branches. Charges work and memory to the budget. Once the
  // budget is exhausted, leaves out further lists. Counts what is left out in
  // the diagnostics. Fails with the errors of ReadBranchLists and of `emitter`.
  // To be called once.
  absl::Status Emit(absl::Span<const uint8_t> file, const TraceInfo& info,
                    Emitter& emitter);

  const Totals& totals() const { return totals_; }

 private:
  static constexpr size_t kMaxSteps = 1 << 12;

  absl::Status OnBinary(const ListedBinary& binary) override;
  absl::Status OnList(const EtmBranchList& list) override;
  absl::Status OnBinaries(std::vector<ListedBinary> binaries) override;
  absl::Status OnSample(const ListedSample& sample) override;

  absl::Status EmitSteps();
  absl::Status EmitBranches(uint64_t ip);
  void ChargeMemory();
  void ReportSkipped();

  TraceTables& tables_;
  Budget& budget_;
  Budget::Share memory_;
  Diagnostics& diagnostics_;
  ListedCode code_;
  Emitter* emitter_ = nullptr;  // during Emit
  Sample sample_;
  std::vector<Branch> branches_;
  uint64_t taken_ = 0;  // of branches_
  Totals totals_;

  // Of the present binary.
  uint32_t binary_ = 0;
  std::optional<ListedEtmCode> etm_code_;
  std::optional<EtmListFollower> follower_;
  uint64_t* not_followed_ = &without_file_;  // why it has no follower
  // Of the present list.
  std::vector<EtmStep> steps_;     // for the next sample, oldest first
  bool first_is_counted_ = false;  // in the sample before

  std::vector<uint32_t> lbr_binaries_;  // by index in the message
  // Lists and samples that are left out.
  uint64_t without_file_ = 0, of_modules_ = 0, of_others_ = 0;
  uint64_t within_instructions_ = 0, without_code_ = 0;
  uint64_t lost_ = 0, skipped_ = 0;
};

}  // namespace perf2x

#endif  // PERF2X_BRANCH_LISTS_BRANCH_LIST_SOURCE_H_
