// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CLI_SUGGEST_H_
#define PERF2X_CLI_SUGGEST_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace perf2x {

// Returns "; did you mean CANDIDATE?" with the candidate that `word` was most
// likely meant to be: one that begins with `word`, or the nearest one by edits.
// Empty if none is near.
std::string DidYouMean(absl::string_view word,
                       const std::vector<std::string>& candidates);

}  // namespace perf2x

#endif  // PERF2X_CLI_SUGGEST_H_
