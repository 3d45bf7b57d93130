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

// Passes a profile to an emitter as a trace: a sample of the trace for each
// event of each sample of the profile, with Sample::count. There are no times
// but those of labels. Not thread-safe.
class ProfileSource {
 public:
  struct Totals {
    uint64_t samples = 0, period = 0;
  };

  // All must outlive the source; `tables` is empty. `selector` may be null: all
  // samples are passed.
  ProfileSource(const Profile& profile, TraceTables& tables,
                SampleSelector* selector, Budget& budget,
                Diagnostics& diagnostics);

  ProfileTrace& trace() { return trace_; }
  const std::vector<Totals>& totals() const { return totals_; }  // by event

  // Calls Begin and OnSample of `emitter`. `known` is what is known of the
  // input besides the profile. Then call Finish.
  absl::Status Run(TraceInfo known, Emitter& emitter);
  absl::Status Finish(Emitter& emitter);

  // Applies the selector to a sample. Clears the values of events that are not
  // selected; returns true if any is. For outputs that keep profiles as they
  // are.
  bool Selects(ProfileSample* sample);

 private:
  // Adds what the profile says.
  TraceInfo Complete(TraceInfo info) const;
  bool SelectsEvent(EventId event, const ProfileSample& sample,
                    const Sample& as);
  absl::Status Emit(ProfileSample* sample, Emitter& emitter);
  StackId StackOf(const ProfileSample& sample);
  bool AccountFor(const ProfileSample& sample);

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
  uint64_t steps_ = 0;           // of work that is not charged yet
  uint64_t skipped_ = 0;
};

}  // namespace perf2x

#endif  // PERF2X_PROFILE_SOURCE_PROFILE_SOURCE_H_
