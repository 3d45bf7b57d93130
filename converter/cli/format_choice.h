// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CLI_FORMAT_CHOICE_H_
#define PERF2X_CLI_FORMAT_CHOICE_H_

#include "absl/status/statusor.h"
#include "converter/cli/command_line.h"
#include "converter/model/emitter.h"

namespace perf2x {

// Returns the format that --to names. Without --to, returns the format whose
// extension -o ends with. If -o is missing, a folder or without an extension,
// returns pprof. The result is static. Fails with InvalidArgument if no format
// has the name or extension, or if the format lacks a given option or refuses
// its value.
absl::StatusOr<const EmitterInfo*> ChooseFormat(const CommandLine& options);

// Returns true if neither --to nor the extension of -o determines the format.
bool IsDefaultFormat(const CommandLine& options);

}  // namespace perf2x

#endif  // PERF2X_CLI_FORMAT_CHOICE_H_
