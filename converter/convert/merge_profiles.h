// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CONVERT_MERGE_PROFILES_H_
#define PERF2X_CONVERT_MERGE_PROFILES_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "converter/base/output.h"
#include "converter/convert/convert.h"

namespace perf2x {

// Merges profiles and recordings to one profile (docs/merging.md). A recording
// is converted to a profile first. Reads each input once, one after another;
// there must be at least one. Writes the profile uncompressed to `output`, and
// does not close it. Each input has a budget of its own for reading. All inputs
// share one for the merged profile and its bytes; fails with ResourceExhausted
// if that is exhausted. ConvertOptions::budget must be null. Sets `*input_size`
// to the sum of the inputs' sizes on disk, also on failure.
// Appends a report for each input to `*reports`, in order. On failure, only
// inputs whose reading began have a report. Errors of an input name it. Fails
// as CheckUnmatched does.
absl::Status MergeProfiles(const std::vector<InputIdentity>& inputs,
                           const ConvertOptions& options, Pipeline& pipeline,
                           Output& output, uint64_t* input_size,
                           std::vector<ConvertReport>* reports);

}  // namespace perf2x

#endif  // PERF2X_CONVERT_MERGE_PROFILES_H_
