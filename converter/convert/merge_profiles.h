// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CONVERT_MERGE_PROFILES_H_
#define PERF2X_CONVERT_MERGE_PROFILES_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "converter/base/output.h"
#include "converter/convert/convert.h"

namespace perf2x {

// Merges profiles and recordings to one profile (docs/merging.md). Converts
// recordings to profiles first. Reads each input once, one after another.
// `inputs` must not be empty. Writes the profile uncompressed to `output`, and
// does not close it.
//
// ConvertOptions::budget must be null. Each input has its own budget for
// reading. A common budget pays for the merged profile and its bytes. Fails
// with ResourceExhausted if the common budget is exhausted. Errors of an input
// name it. Fails as CheckUnmatched does.
//
// Sets `*input_size` to the sum of the inputs' sizes on disk, also on failure.
// Appends a report for each input to `*reports`, in order. On failure, only
// inputs whose reading began have a report.
absl::Status MergeProfiles(const std::vector<InputIdentity>& inputs,
                           const ConvertOptions& options, Pipeline& pipeline,
                           Output& output, uint64_t* input_size,
                           std::vector<ConvertReport>* reports);

}  // namespace perf2x

#endif  // PERF2X_CONVERT_MERGE_PROFILES_H_
