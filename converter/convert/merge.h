// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CONVERT_MERGE_H_
#define PERF2X_CONVERT_MERGE_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "converter/convert/convert.h"

namespace perf2x {

// The same error, with the name of the input that it is about.
absl::Status Naming(const std::string& input, const absl::Status& status);

// Fails for a format that cannot show several recordings in one output, with
// these values of its options.
absl::Status CheckMerges(const EmitterInfo& format,
                         const std::map<std::string, std::string>& options);

// Converts several recordings into one output, of a format that merges. Each is
// opened twice: for its events first. Durations add up; what the recordings do
// not agree on (host, kernel, …) is left out. `*reports` gets one for each
// input, in order. The error names the input.
absl::Status Merge(const std::vector<FoundInput>& inputs,
                   const EmitterInfo& format, OutputFactory& outputs,
                   const ConvertOptions& options,
                   std::vector<ConvertReport>* reports);

}  // namespace perf2x

#endif  // PERF2X_CONVERT_MERGE_H_
