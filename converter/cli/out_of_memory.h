// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CLI_OUT_OF_MEMORY_H_
#define PERF2X_CLI_OUT_OF_MEMORY_H_

namespace perf2x {

// From here on an allocation by `new` that fails, on any thread, ends the
// process: all cleanups (base/early_exit_cleanup.h) run, a line on standard
// error says why, and the exit status is 1.
void EndWhenOutOfMemory();

// Ends the process in the same way. This is the new handler; code that gets
// memory in other ways may call it, too.
[[noreturn]] void EndOutOfMemory();

}  // namespace perf2x

#endif  // PERF2X_CLI_OUT_OF_MEMORY_H_
