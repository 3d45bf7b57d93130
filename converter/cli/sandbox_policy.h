// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CLI_SANDBOX_POLICY_H_
#define PERF2X_CLI_SANDBOX_POLICY_H_

#include <vector>

#include "absl/status/status.h"
#include "converter/base/output_target.h"
#include "converter/cli/command_line.h"
#include "converter/cli/sandbox.h"
#include "converter/input/input_identity.h"

namespace perf2x {

// Returns a policy that allows what a command has to open: `inputs`, `outputs`,
// temporary files, and the places where `options` let it search for symbols.
// Without --symfs, these places are the whole file system except /proc, /sys
// and /dev, since a recording names files anywhere. SECURITY.md lists them. If
// debuginfod may be asked, creates its cache folder and makes it writable.
SandboxPolicy PolicyFor(const CommandLine& options,
                        const std::vector<InputIdentity>& inputs,
                        const OutputTargets& outputs);

// Enters the sandbox that PolicyFor describes, unless the user turned it off
// (--no-sandbox). Before that, always sets
// `options->convert.symbols.containers`: containers cannot be found from inside
// the sandbox. With -v, reports on standard error if the sandbox is not fully
// enforced. To be called before the first thread starts and before the first
// byte of an input is read. Fails with ResourceExhausted if descriptors or
// memory run out. With --untrusted, also fails if an input is no regular file,
// or if the sandbox is not fully enforced.
absl::Status EnterSandboxFor(CommandLine* options,
                             const std::vector<InputIdentity>& inputs,
                             const OutputTargets& outputs);

}  // namespace perf2x

#endif  // PERF2X_CLI_SANDBOX_POLICY_H_
