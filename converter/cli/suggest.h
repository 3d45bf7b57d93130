// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CLI_SUGGEST_H_
#define PERF2X_CLI_SUGGEST_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace perf2x {

// Returns "; did you mean CANDIDATE?" with the nearest candidate to `word`. The
// distance is the number of letters to insert, remove, replace or swap; 1 for a
// candidate that begins with `word`. Of equally near candidates, the first
// wins. Returns "" if more than about a third of the letters differ, or if
// `word` has fewer than 2 or more than 40 bytes.
std::string DidYouMean(absl::string_view word,
                       const std::vector<std::string>& candidates);

}  // namespace perf2x

#endif  // PERF2X_CLI_SUGGEST_H_
