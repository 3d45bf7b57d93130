// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CLI_OUT_OF_MEMORY_H_
#define PERF2X_CLI_OUT_OF_MEMORY_H_

namespace perf2x {

// From here on, if `new` fails on any thread, the process ends with exit status
// 1. Before that, all cleanups (base/early_exit_cleanup.h) run, and a line on
// standard error says why.
void EndWhenOutOfMemory();

// Ends the process in the same way. This is the new handler; code that gets
// memory in other ways may call it, too.
[[noreturn]] void EndOutOfMemory();

}  // namespace perf2x

#endif  // PERF2X_CLI_OUT_OF_MEMORY_H_
