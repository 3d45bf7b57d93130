// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CLI_RUN_DIFF_H_
#define PERF2X_CLI_RUN_DIFF_H_

#include "converter/cli/command_line.h"

namespace perf2x {

// Exit status of a comparison with a change above a limit of --fail-above.
inline constexpr int kChanged = 3;

// Runs `perf2x diff BASE... -- NEW...`: writes the comparison to standard
// output and, with -o, a profile or a page of the difference. Reports on
// standard error and returns the exit status.
int RunDiff(CommandLine options);

}  // namespace perf2x

#endif  // PERF2X_CLI_RUN_DIFF_H_
