// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CLI_OUT_OF_MEMORY_H_
#define PERF2X_CLI_OUT_OF_MEMORY_H_

namespace perf2x {

// Makes EndOutOfMemory the process's new handler (std::set_new_handler). It is
// then called if `new` fails on any thread, and by HandleOutOfMemory
// (base/out_of_memory.h), which code outside of cli/ calls if a library had no
// memory.
void EndWhenOutOfMemory();

// Runs all cleanups (base/early_exit_cleanup.h), says on standard error that
// memory is out, and ends the process with exit status 1. Allocates nothing.
// If several threads call it, only the first one does that.
[[noreturn]] void EndOutOfMemory();

}  // namespace perf2x

#endif  // PERF2X_CLI_OUT_OF_MEMORY_H_
