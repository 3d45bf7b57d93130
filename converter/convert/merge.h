// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CONVERT_MERGE_H_
#define PERF2X_CONVERT_MERGE_H_

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "converter/convert/convert.h"

namespace perf2x {

// Returns `status`. If it is an error, adds the name of the input to its
// message.
absl::Status WithInputName(const std::string& input,
                           const absl::Status& status);

// Fails if `format` cannot show several recordings in one output with these
// option values.
absl::Status CheckMerges(const EmitterInfo& format,
                         const std::map<std::string, std::string>& options);

// Fails if a word of the filters, by the number of inputs that it matched
// nothing in, matched nothing in any of them.
absl::Status CheckMissing(const std::map<std::string, size_t>& missing,
                          size_t inputs);

// Converts several recordings and profiles into one output of a format that
// passes CheckMerges. If the format is a profile, or any input is a profile or
// a pipe, that is MergeProfiles, and then a conversion of the merged profile.
// Otherwise opens each recording twice, the first time for its events.
// Durations add up; facts that differ between the recordings (host, kernel, …)
// are left empty. Appends a report for each input to `*reports`, in order. The
// error names the input.
absl::Status Merge(const std::vector<InputIdentity>& inputs,
                   const EmitterInfo& format, OutputFactory& outputs,
                   const ConvertOptions& options,
                   std::vector<ConvertReport>* reports);

}  // namespace perf2x

#endif  // PERF2X_CONVERT_MERGE_H_
