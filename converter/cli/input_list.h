// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CLI_INPUT_LIST_H_
#define PERF2X_CLI_INPUT_LIST_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace perf2x {

// What the arguments of a command stand for.
struct InputNames {
  std::vector<std::string> inputs;  // in order; at least one
  std::vector<std::string> lists;   // the files that "@FILE" named
  // What looks like an input of a folder, by its extension, but is no file:
  // FIFOs, devices, sockets, links that lead nowhere.
  std::vector<std::string> left_out;
};

// Returns the inputs that `arguments`, at least one, name. "@FILE" stands for
// the lines of FILE, each the name of an input; lines may end in "\r\n", and
// empty ones are skipped. A folder that is no recording stands for the profiles
// and recordings in it, by their extensions (.pb, .pb.gz, .pprof, .data),
// sorted by name; if it has none, it stays as it is. Other names are not
// checked. Fails with InvalidArgument if a list cannot be read or names no
// input.
absl::StatusOr<InputNames> ExpandInputs(
    const std::vector<std::string>& arguments);

}  // namespace perf2x

#endif  // PERF2X_CLI_INPUT_LIST_H_
