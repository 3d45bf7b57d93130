// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CLI_FORMAT_CHOICE_H_
#define PERF2X_CLI_FORMAT_CHOICE_H_

#include "absl/status/statusor.h"
#include "converter/cli/command_line.h"
#include "converter/model/emitter.h"

namespace perf2x {

// The format that `--to` names; else the one whose extension -o ends with; else
// pprof. Fails, with an error of usage, on names and extensions that no format
// has, and on options that the format would ignore.
absl::StatusOr<const EmitterInfo*> ChooseFormat(const CommandLine& options);

// Whether the format is pprof because nothing says which.
bool IsDefaultFormat(const CommandLine& options);

}  // namespace perf2x

#endif  // PERF2X_CLI_FORMAT_CHOICE_H_
