// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CLI_FORMAT_CHOICE_H_
#define PERF2X_CLI_FORMAT_CHOICE_H_

#include "absl/status/statusor.h"
#include "converter/cli/command_line.h"
#include "converter/model/emitter.h"

namespace perf2x {

// Returns the format that `--to` names; else the one whose extension -o ends
// with; else pprof. The result is static. Fails with an error of usage if no
// format has that name or extension, or if the format lacks an option that was
// given or refuses its value.
absl::StatusOr<const EmitterInfo*> ChooseFormat(const CommandLine& options);

// Returns true if neither --to nor -o determines the format, so that it is
// pprof.
bool IsDefaultFormat(const CommandLine& options);

}  // namespace perf2x

#endif  // PERF2X_CLI_FORMAT_CHOICE_H_
