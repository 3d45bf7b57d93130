// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CLI_RUN_CONVERT_H_
#define PERF2X_CLI_RUN_CONVERT_H_

#include <string>

#include "absl/strings/string_view.h"
#include "converter/cli/command_line.h"

namespace perf2x {

// What a command's process ends with.
inline constexpr int kConverted = 0;
inline constexpr int kFailed = 1;
inline constexpr int kWrongUsage = 2;

// To standard error.
void Say(absl::string_view text);
// Says one line, and gives `code`.
int Complain(int code, absl::string_view text);

// perf.data, or standard input when that is a pipe.
std::string DefaultInput();

// `perf2x [INPUT...]`: one recording to one output, several to one each or,
// with --merge, to one. Says what it did and gives the exit status.
int RunConvert(CommandLine options);

}  // namespace perf2x

#endif  // PERF2X_CLI_RUN_CONVERT_H_
