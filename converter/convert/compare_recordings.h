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

// The recordings of both sides. Each is opened twice, so none is a pipe.
struct ComparedInputs {
  std::vector<InputIdentity> base, now;
};

struct CompareOptions {
  ConvertOptions convert;
  std::string event;  // by name; empty: the first derived one, else the first
                      // that samples code, else the first
  std::string normalize = "share";  // or "none", "wall", the name of an event
};

// Compares the functions of both sides. Appends a report for each recording to
// `*reports`, the base's first. Errors name the recording, or the option.
absl::StatusOr<Comparison> CompareRecordings(
    const ComparedInputs& inputs, const CompareOptions& options,
    std::vector<ConvertReport>* reports);

// Fails if the format cannot show a difference.
absl::Status CheckShowsDifference(const EmitterInfo& format);

// Writes both sides of one event to one output, with their difference: in pprof
// as three types of values, means by recording; in a format with a base
// (EmitterInfo::make_base), as it compares. Functions have the names that they
// have in every build.
absl::Status WriteDifference(const ComparedInputs& inputs,
                             const ConvertOptions& options,
                             const std::string& event,
                             const EmitterInfo& format, OutputFactory& outputs);

}  // namespace perf2x

#endif  // PERF2X_CONVERT_COMPARE_RECORDINGS_H_
