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

// The recordings of both sides: `base` before a change, `now` after it. Each is
// opened twice or more, so none may be a pipe. Neither side may be empty.
struct ComparedInputs {
  std::vector<InputIdentity> base, now;
};

struct CompareOptions {
  ConvertOptions convert;
  // Name of the event to compare. Empty: the first derived one, else the first
  // that samples code, else the first; of those with samples.
  std::string event;
  // What values are divided by: "share", the recording's sum of the event;
  // "wall", its duration; "none"; or the name of an event, its sum.
  std::string normalize = "share";
};

// Compares the functions of both sides. Appends a report for each recording to
// `*reports`, the base's first; on failure, for those read so far, and not
// complete. Errors name the recording, or the option. Fails if no recording has
// samples of the event, or if a recording's divisor is 0.
absl::StatusOr<Comparison> CompareRecordings(
    const ComparedInputs& inputs, const CompareOptions& options,
    std::vector<ConvertReport>* reports);

// Fails if the format cannot show a difference.
absl::Status CheckShowsDifference(const EmitterInfo& format);

// Writes both sides of the event called `event` to one output, with their
// difference. In pprof, there are three types of values: "base" and "new", the
// means over each side's recordings, and their difference. A format with a base
// (EmitterInfo::make_base) compares the sums of the two sides in its own way.
// Functions have the names that they have in every build (NameOfEveryBuild).
// Requires that CheckShowsDifference(format) succeeds.
absl::Status WriteDifference(const ComparedInputs& inputs,
                             const ConvertOptions& options,
                             const std::string& event,
                             const EmitterInfo& format, OutputFactory& outputs);

}  // namespace perf2x

#endif  // PERF2X_CONVERT_COMPARE_RECORDINGS_H_
