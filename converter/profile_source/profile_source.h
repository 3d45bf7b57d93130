// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PROFILE_SOURCE_PROFILE_SOURCE_H_
#define PERF2X_PROFILE_SOURCE_PROFILE_SOURCE_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "converter/base/budget.h"
#include "converter/base/diagnostics.h"
#include "converter/model/emitter.h"
#include "converter/model/sample_selector.h"
#include "converter/model/trace_tables.h"
#include "converter/profile_source/profile.h"
#include "converter/profile_source/profile_events.h"
#include "converter/profile_source/profile_threads.h"
#include "converter/profile_source/profile_trace.h"

namespace perf2x {

// Passes a pprof profile to an emitter as a trace. Each sample of the profile
// becomes one Sample per event; Sample::count says how many it sums up. A
// Sample has a time only if a label has it. Not thread-safe.
class ProfileSource {
 public:
  // Sums of an event's selected samples. They saturate.
  struct Totals {
    uint64_t samples = 0, period = 0;
  };

  // Adds the profile's events and code (see ProfileTrace) to `tables`, which
  // must be empty. `selector` may be null: all samples are selected. All
  // arguments must outlive the source.
  ProfileSource(const Profile& profile, TraceTables& tables,
                SampleSelector* selector, Budget& budget,
                Diagnostics& diagnostics);

  // Returns the profile's code, for calls of ProfileTrace::set_file_symbolizer.
  ProfileTrace& trace() { return trace_; }
  // Returns the sums so far, by EventId. EmitSamples and ApplySelector add to
  // them.
  const std::vector<Totals>& totals() const { return totals_; }

  // Calls Begin, OnThread and OnSample of `emitter`. `known` has the facts
  // about the input that the profile lacks. Charges work and memory to the
  // budget. Once the budget is exhausted, skips further samples. Also skips
  // negative values, and samples with more than a million functions. Counts
  // everything skipped in the diagnostics. Fails with DataLoss if a sample is
  // damaged, and with the errors of `emitter` and SampleSelector::Check. To be
  // called once, before Finish.
  absl::Status EmitSamples(TraceInfo known, Emitter& emitter);
  // Calls Finish of `emitter` and returns its error. To be called once, after
  // EmitSamples.
  absl::Status Finish(Emitter& emitter);

  // Applies the selector to a sample in place. Used instead of EmitSamples and
  // Finish if the output is a profile. Sets the values of unselected events to
  // 0, and shortens the stack to SampleSelector::max_stack. Returns true if a
  // selected event has a value other than 0. Without a selector, always returns
  // true. Adds values above 0 to totals(). Does not call SampleSelector::Check.
  bool ApplySelector(ProfileSample* sample);

  // Interns a stack for the DSOs of which the sample has unsymbolized
  // locations: one such location of each DSO, of at most 64. Samples with the
  // same DSOs have the same stack. If there are none, its only frame is of no
  // location. To be called after all frames were symbolized.
  StackId InternUnsymbolized(const ProfileSample& sample);
  // Returns the number of samples of all events that this one sums up.
  // Saturates.
  uint64_t CountIn(const ProfileSample& sample) const;

 private:
  // Adds the profile's facts to `info`.
  TraceInfo Complete(TraceInfo info) const;
  bool SelectsEvent(EventId event, const ProfileSample& sample,
                    const Sample& as);
  absl::Status Emit(ProfileSample* sample, Emitter& emitter);
  StackId StackOf(const ProfileSample& sample);
  StackId InternChain();
  bool AccountFor(const ProfileSample& sample);
  void ReportSkipped();

  const Profile& profile_;
  TraceTables& tables_;
  SampleSelector* const selector_;
  Budget& budget_;
  Budget::Share memory_;
  Diagnostics& diagnostics_;
  ProfileTrace trace_;
  const ProfileEvents events_;
  ProfileThreads threads_;
  std::vector<Totals> totals_;
  std::vector<bool> announced_;  // by ThreadId: passed to OnThread
  std::vector<uint64_t> chain_;  // scratch
  // Of InternUnsymbolized. By DsoId: the location that stands for the DSO, and
  // the number of the last sample that had one.
  struct Unsymbolized {
    uint32_t location = kNoId;
    uint64_t last_sample = 0;
  };
  std::vector<Unsymbolized> unsymbolized_;
  uint64_t samples_ = 0;         // passed to InternUnsymbolized
  uint64_t steps_ = 0;           // of work that is not charged yet
  uint64_t most_functions_ = 0;  // of one sample so far
  uint64_t skipped_ = 0, deep_ = 0, negative_ = 0;
};

}  // namespace perf2x

#endif  // PERF2X_PROFILE_SOURCE_PROFILE_SOURCE_H_
