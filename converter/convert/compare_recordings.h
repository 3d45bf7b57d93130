// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CONVERT_COMPARE_RECORDINGS_H_
#define PERF2X_CONVERT_COMPARE_RECORDINGS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "converter/compare/comparison.h"
#include "converter/convert/convert.h"

namespace perf2x {

// The recordings before a change (`base`) and after it (`now`), at least one
// each. Each is opened twice or more, so none may be a pipe.
struct ComparedInputs {
  std::vector<InputIdentity> base, now;
};

// How recordings are compared.
struct CompareOptions {
  ConvertOptions convert;  // how each recording is read
  // Distinct name (EventNames) of the event to compare. If empty, chooses the
  // first event with samples. Derived events (Event::derived) come first, then
  // those of a kind that SamplesCode, then all others.
  std::string event;
  // The divisor of a recording's values. "share": the recording's sum of
  // `event`. "wall": its duration in seconds. "none": 1. Any other text is the
  // distinct name of an event: the recording's sum of that event.
  std::string normalize = "share";
};

// Compares the functions of both sides. Appends a report for each recording,
// the base's first, to `*reports`, which must be empty. If one cannot be read,
// only recordings whose reading began have a report, which is incomplete.
// Errors of a recording name it. Fails with InvalidArgument if no recording has
// samples of the event, if a divisor is 0, or if a word of the filters matches
// nothing.
absl::StatusOr<Comparison> CompareRecordings(
    const ComparedInputs& inputs, const CompareOptions& options,
    std::vector<ConvertReport>* reports);

// Fails with InvalidArgument if the format cannot show a difference.
absl::Status CheckShowsDifference(const EmitterInfo& format);

// Writes both sides of the event called `event` to one output, with their
// difference. `event` must be `runs.event` of CompareRecordings' result for the
// same inputs and CompareOptions::convert. Counts in `*skipped` what the format
// leaves out. pprof gets three value types: "base" and "new", the means over
// each side's recordings, and their difference. html, and any other format with
// EmitterInfo::make_base, reads the base first and compares the sums of the two
// sides itself. Suffixes of function names that differ between builds are
// removed (NameAcrossBuilds). Requires that CheckShowsDifference(format)
// succeeds. Does not check the filters.
absl::Status WriteDifference(const ComparedInputs& inputs,
                             const ConvertOptions& options,
                             const std::string& event,
                             const EmitterInfo& format, OutputFactory& outputs,
                             Diagnostics* skipped);

}  // namespace perf2x

#endif  // PERF2X_CONVERT_COMPARE_RECORDINGS_H_
