// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CLI_PROFILE_INFO_H_
#define PERF2X_CLI_PROFILE_INFO_H_

#include "absl/status/status.h"
#include "converter/base/output.h"
#include "converter/input/input.h"

namespace perf2x {

// `perf2x info` of a pprof profile: writes its values, times, comments, labels
// and mappings, as text or as one JSON object. Fails as ReadProfile does.
absl::Status WriteProfileInfo(Input input, bool json, Output& output);

}  // namespace perf2x

#endif  // PERF2X_CLI_PROFILE_INFO_H_
