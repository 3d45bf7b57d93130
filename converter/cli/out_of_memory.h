// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CLI_OUT_OF_MEMORY_H_
#define PERF2X_CLI_OUT_OF_MEMORY_H_

namespace perf2x {

// Makes EndOutOfMemory the new handler of the process (std::set_new_handler): a
// failing `new` calls it, on any thread. HandleOutOfMemory
// (base/out_of_memory.h) calls it, too, if a library has no memory.
void EndWhenOutOfMemory();

// Runs all cleanups (base/early_exit_cleanup.h), prints on standard error that
// memory is out, and ends the process with exit status 1. Allocates nothing.
// Later callers on other threads wait for that end.
[[noreturn]] void EndOutOfMemory();

}  // namespace perf2x

#endif  // PERF2X_CLI_OUT_OF_MEMORY_H_
