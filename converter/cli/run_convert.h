// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CLI_RUN_CONVERT_H_
#define PERF2X_CLI_RUN_CONVERT_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "converter/cli/command_line.h"

namespace perf2x {

// Exit statuses. kDone: the command did all that it was to do. kWrongUsage: the
// command line or a list of inputs is wrong; nothing was converted. kFailed:
// something else failed, such as converting an input or writing an output or
// the summary. With --strict, kFailed also means that an output is not
// complete.
inline constexpr int kDone = 0;
inline constexpr int kFailed = 1;
inline constexpr int kWrongUsage = 2;

// Writes `text` to standard error as it is.
void PrintError(absl::string_view text);
// Writes `text` to standard error as one line, after "perf2x: ". Returns
// `code`.
int PrintErrorLine(int code, absl::string_view text);

// Returns "-" (standard input) if that is a pipe, else "perf.data".
std::string DefaultInput();

// Replaces the arguments in `*inputs` by the inputs that they name
// (ExpandInputs). Without arguments, uses DefaultInput. Appends each FILE of
// the "@FILE" arguments to `options->lists`. Prints skipped inputs on standard
// error, unless --quiet. Returns nullopt on success. On failure, prints why and
// returns the exit status. If standard error is a file that the command reads,
// returns kFailed and prints nothing: a message would be written into that
// file.
std::optional<int> ResolveInputs(std::vector<std::string>* inputs,
                                 CommandLine* options);

// Runs `perf2x [INPUT...]`: converts each recording to an output of its own or,
// with --merge, all to one. Reports on standard error. Returns the exit status.
// With --open, if all inputs were converted, returns the viewer's.
int RunConvert(CommandLine options);

}  // namespace perf2x

#endif  // PERF2X_CLI_RUN_CONVERT_H_
