// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CONVERT_MERGE_PROFILES_H_
#define PERF2X_CONVERT_MERGE_PROFILES_H_

#include <vector>

#include "absl/status/status.h"
#include "converter/base/output.h"
#include "converter/convert/convert.h"

namespace perf2x {

// Merges profiles and recordings, of which it makes profiles, to one profile
// (docs/merging.md). Reads each input once, one after another. Writes the
// profile uncompressed to `output`, which it does not close. Appends a report
// for each input to `*reports`, in order. The error names the input.
absl::Status MergeProfiles(const std::vector<InputIdentity>& inputs,
                           const ConvertOptions& options, Pipeline& pipeline,
                           Output& output, std::vector<ConvertReport>* reports);

}  // namespace perf2x

#endif  // PERF2X_CONVERT_MERGE_PROFILES_H_
