// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CONVERT_MERGE_H_
#define PERF2X_CONVERT_MERGE_H_

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

// Converts several recordings into one output of a format that passes
// CheckMerges. Opens each input twice, the first time for its events.
// Durations add up; facts that differ between the recordings (host, kernel, …)
// are left empty. Appends a report for each input to `*reports`, in order. The
// error names the input.
absl::Status Merge(const std::vector<InputIdentity>& inputs,
                   const EmitterInfo& format, OutputFactory& outputs,
                   const ConvertOptions& options,
                   std::vector<ConvertReport>* reports);

}  // namespace perf2x

#endif  // PERF2X_CONVERT_MERGE_H_
