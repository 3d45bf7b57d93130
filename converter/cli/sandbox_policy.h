// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CLI_SANDBOX_POLICY_H_
#define PERF2X_CLI_SANDBOX_POLICY_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "converter/base/output_place.h"
#include "converter/cli/command_line.h"
#include "converter/cli/sandbox.h"
#include "converter/input/found_input.h"

namespace perf2x {

// What a command has to open: `inputs`, `outputs`, temporary files, and the
// places where `options` has symbols looked for. Without --symfs those are all
// of the file system but /proc, /sys and /dev, since a recording names files
// anywhere. SECURITY.md lists them.
SandboxPolicy PolicyFor(const CommandLine& options,
                        const std::vector<FoundInput>& inputs,
                        const OutputPlaces& outputs);

// Enters the sandbox that PolicyFor describes, unless the user turned it off.
// Before that it looks up what cannot be looked up from inside:
// `options->convert.symbols.containers`. Says so if the user wants to know much
// and the sandbox is not whole. Call it before the first thread starts
// and before the first byte of an input is read. Fails only with --untrusted:
// when the sandbox is not whole, or an input is no regular file; and when there
// are no descriptors or no memory to set it up with.
absl::Status EnterSandboxFor(CommandLine* options,
                             const std::vector<FoundInput>& inputs,
                             const OutputPlaces& outputs);

}  // namespace perf2x

#endif  // PERF2X_CLI_SANDBOX_POLICY_H_
