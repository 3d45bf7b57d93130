// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CONVERT_CONVERT_PROFILE_H_
#define PERF2X_CONVERT_CONVERT_PROFILE_H_

#include "absl/status/status.h"
#include "converter/base/pipeline.h"
#include "converter/convert/convert.h"
#include "converter/input/input.h"
#include "converter/model/emitter.h"
#include "converter/profile_source/profile_source.h"
#include "converter/session/stack_subset.h"
#include "converter/stages/forwarding_emitter.h"
#include "converter/stages/sample_filter.h"

namespace perf2x {

// Copies a whole pprof profile to a pprof profile, in the same order. Adds
// symbols for code without symbols. Applies filters and --labels. Ignores
// ConvertOptions::progress and ConvertOptions::budget: has a budget of its own.
// Returns the errors of CheckSuitsProfile, KeptLabels::FromOptions,
// ReadProfileInput and the output. Also fails if a word of the filters matches
// nothing. Fills and completes `*report`, also on failure, once the profile is
// read.
absl::Status CopyProfile(Input input, OutputFactory& outputs,
                         const ConvertOptions& options, Pipeline& pipeline,
                         ConvertReport* report);

// Fails with InvalidArgument if the options need what a pprof profile lacks.
// --wall-clock and --latency need the times at which threads ran. --time in
// percent needs the times at which the recording began and ended.
absl::Status CheckSuitsProfile(const ConvertOptions& options);

// Fails with FailedPrecondition if the format shows nothing but what profiles
// lack.
absl::Status CheckShowsProfiles(const EmitterInfo& format);

// Appends an EventCount for each event of `source` to `report->events`:
// ProfileSource::totals(), and the samples that `filter` excluded.
void AppendEventCounts(const ProfileSource& source, const TraceTables& tables,
                       const SampleFilter& filter, ConvertReport* report);

// Counts a stack with the number of samples that it stands for.
void CountProfileSamples(StackId stack, uint64_t samples, StackSubset* stacks);

// Counts the stacks of a profile's samples.
class StackCounter final : public ForwardingEmitter {
 public:
  // Both must outlive this object.
  StackCounter(Emitter& to, StackSubset* stacks)
      : ForwardingEmitter(to), stacks_(*stacks) {}

  absl::Status OnSample(const Sample& sample) override {
    CountProfileSamples(sample.stack, sample.count, &stacks_);
    return to().OnSample(sample);
  }

 private:
  StackSubset& stacks_;
};

// As StackSubset::Collect, for the stacks of a profile: keeps only the frames
// of locations that have no symbol in the profile.
void CollectUnsymbolized(const ProfileTrace& trace, TraceTables& tables,
                         StackSubset* stacks);

}  // namespace perf2x

#endif  // PERF2X_CONVERT_CONVERT_PROFILE_H_
