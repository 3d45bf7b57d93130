// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CONVERT_MERGE_PROFILES_H_
#define PERF2X_CONVERT_MERGE_PROFILES_H_

#include <vector>

#include "absl/status/status.h"
#include "converter/base/output.h"
#include "converter/convert/convert.h"

namespace perf2x {

// Merges profiles and recordings to one profile (docs/merging.md). A recording
// is converted to a profile first. Reads each input once, one after another;
// there must be at least one. Writes the profile uncompressed to `output`, and
// does not close it. Reading an input is charged to a budget of its own, and
// what is kept of it to one that all inputs share; ConvertOptions::budget must
// be null. Appends a report for each input to `*reports`, in order; on failure,
// for those whose reading began. Errors of an input name it.
absl::Status MergeProfiles(const std::vector<InputIdentity>& inputs,
                           const ConvertOptions& options, Pipeline& pipeline,
                           Output& output, std::vector<ConvertReport>* reports);

}  // namespace perf2x

#endif  // PERF2X_CONVERT_MERGE_PROFILES_H_
