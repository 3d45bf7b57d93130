// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CLI_PROFILE_INFO_H_
#define PERF2X_CLI_PROFILE_INFO_H_

#include "absl/status/status.h"
#include "converter/base/output.h"
#include "converter/input/input.h"

namespace perf2x {

// Runs `perf2x info` for a pprof profile. Writes its value types with their
// sums, times, period, counts, comments, label keys and mappings to `output`,
// as text or as one JSON object. Does not close `output`. Lists of comments,
// label keys and mappings end after 10000 entries. Fails with the errors of
// ReadProfileInput, with DataLoss if a sample is damaged, and with the error of
// `output`.
absl::Status WriteProfileInfo(Input input, bool json, Output& output);

}  // namespace perf2x

#endif  // PERF2X_CLI_PROFILE_INFO_H_
