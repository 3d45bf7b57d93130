// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CLI_INPUT_LIST_H_
#define PERF2X_CLI_INPUT_LIST_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace perf2x {

// The inputs that the arguments of a command name.
struct InputNames {
  std::vector<std::string> inputs;  // in order; at least one
  std::vector<std::string> lists;   // each FILE of "@FILE"
  // Members of folders that have the extension of an input but are no files:
  // FIFOs, devices, sockets, links that lead nowhere. Sorted.
  std::vector<std::string> skipped;
};

// Returns the inputs that `arguments`, at least one, name. "@FILE" stands for
// the lines of FILE, each the name of an input. Lines may end in "\r\n"; empty
// lines are ignored. A folder that is no recording stands for the profiles and
// recordings in it, sorted by name. These are files with the extension .pb,
// .pb.gz, .pprof or .data. A folder without such files remains an input. Other
// names are not checked. Fails with InvalidArgument if a list cannot be read,
// names no input or has a name with a NUL.
absl::StatusOr<InputNames> ExpandInputs(
    const std::vector<std::string>& arguments);

}  // namespace perf2x

#endif  // PERF2X_CLI_INPUT_LIST_H_
