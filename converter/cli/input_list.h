// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CLI_INPUT_LIST_H_
#define PERF2X_CLI_INPUT_LIST_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace perf2x {

// Returns the inputs that the arguments of a conversion name, in order.
// "@FILE" stands for the lines of FILE, each the name of an input; empty lines
// are skipped. A folder that is no recording stands for the profiles and
// recordings in it, by their extensions (.pb, .pb.gz, .pprof, .data), sorted by
// name; if it has none, it stays as it is. Other names are not checked. Fails
// with InvalidArgument if a list cannot be read or names no input.
absl::StatusOr<std::vector<std::string>> ExpandInputs(
    const std::vector<std::string>& arguments);

}  // namespace perf2x

#endif  // PERF2X_CLI_INPUT_LIST_H_
