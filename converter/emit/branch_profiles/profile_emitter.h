// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_BRANCH_PROFILES_PROFILE_EMITTER_H_
#define PERF2X_EMIT_BRANCH_PROFILES_PROFILE_EMITTER_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "converter/emit/branch_profiles/branch_counts.h"
#include "converter/emit/branch_profiles/branch_profile.h"
#include "converter/emit/branch_profiles/code_places.h"
#include "converter/emit/branch_profiles/context_samples.h"
#include "converter/model/emitter.h"

namespace perf2x {

// Collects the profile of one DSO: the DSO that --dso names, else the result of
// ChooseDso. The format's subclass writes it. Counts only samples of events of
// the kinds kSampled and kClock. Finish fails with InvalidArgument if --dso
// names no DSO with a sample or branch.
class ProfileEmitter : public Emitter {
 public:
  // What `context` refers to must outlive this. Set `keeps_stacks` to have
  // context_samples().
  ProfileEmitter(const EmitterContext& context, FallThroughRule rule,
                 bool keeps_stacks = false);

  // Requests branches.
  EmitterRequirements requirements() const final {
    return {.branches = true, .callers = context_samples_.has_value()};
  }
  // Opens the output.
  absl::Status Begin(const TraceInfo& info) final;
  // Counts the sample's address and branches.
  absl::Status OnSample(const Sample& sample) final;
  // Chooses the DSO, calls Write and closes the output.
  absl::Status Finish(const TraceSummary& summary) final;

 protected:
  // Writes the profile. May change `profile`; must not close `output`. Called
  // once, by Finish.
  virtual absl::Status Write(BranchProfile& profile, Output& output) = 0;
  // Returns the samples with branches, each with its stack; null if they were
  // not kept.
  const ContextSamples* context_samples() const {
    return context_samples_.has_value() ? &*context_samples_ : nullptr;
  }
  // Returns the addresses of their places in `profile`, which must be that of
  // Write.
  PlaceLinker LinkerOf(const BranchProfile& profile) const {
    return {places_, chosen_, tables_, profile.code.get()};
  }
  // Notes that the profile is empty if `empty` is set. To be called by Write.
  void ReportIfEmpty(bool empty, const BranchProfile& profile) const;
  // May be null.
  Diagnostics* diagnostics() const { return diagnostics_; }
  Budget& budget() const { return budget_; }

 private:
  absl::Status NoSuchDso() const;
  // Notes which file the profile is of, if the user left that open.
  void ReportChoice(const BranchProfile& profile) const;

  TraceTables& tables_;
  OutputFactory& outputs_;
  Budget& budget_;
  Diagnostics* const diagnostics_;
  const std::string dso_;  // empty: not named
  CodePlaces places_;
  std::optional<BranchCounts> counts_;  // until Finish has made the profile
  std::optional<ContextSamples> context_samples_;
  DsoId chosen_ = kNoId;       // set by Finish
  std::vector<bool> sampled_;  // by event
  std::unique_ptr<Output> output_;
};

}  // namespace perf2x

#endif  // PERF2X_EMIT_BRANCH_PROFILES_PROFILE_EMITTER_H_
