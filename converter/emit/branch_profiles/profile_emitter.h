// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_BRANCH_PROFILES_PROFILE_EMITTER_H_
#define PERF2X_EMIT_BRANCH_PROFILES_PROFILE_EMITTER_H_

#include <memory>
#include <string>
#include <vector>

#include "converter/emit/branch_profiles/branch_counts.h"
#include "converter/emit/branch_profiles/branch_profile.h"
#include "converter/emit/branch_profiles/code_places.h"
#include "converter/model/emitter.h"

namespace perf2x {

// Collects the profile of one DSO: the one that --dso names, else the one with
// most samples. A format writes it in the end.
class ProfileEmitter : public Emitter {
 public:
  ProfileEmitter(const EmitterContext& context, BranchReading reading);

  EmitterRequirements requirements() const final { return {.branches = true}; }
  absl::Status Begin(const TraceInfo& info) final;
  absl::Status OnSample(const Sample& sample) final;
  absl::Status Finish(const TraceSummary& summary) final;

 protected:
  virtual absl::Status Write(BranchProfile& profile, Output& output) = 0;
  Diagnostics* diagnostics() const { return diagnostics_; }
  Budget& budget() const { return budget_; }

 private:
  absl::Status NoSuchDso() const;

  TraceTables& tables_;
  OutputFactory& outputs_;
  Budget& budget_;
  Diagnostics* const diagnostics_;
  const std::string dso_;  // empty: not named
  CodePlaces places_;
  BranchCounts counts_;
  std::vector<bool> sampled_;  // by event
  std::unique_ptr<Output> output_;
};

// Returns true if `options` name the kernel by --dso.
bool IsAboutKernel(const std::map<std::string, std::string>& options);

}  // namespace perf2x

#endif  // PERF2X_EMIT_BRANCH_PROFILES_PROFILE_EMITTER_H_
