// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CLI_OUT_OF_MEMORY_H_
#define PERF2X_CLI_OUT_OF_MEMORY_H_

namespace perf2x {

// Makes EndOutOfMemory the new handler of the process (std::set_new_handler),
// which a failing `new` calls on any thread. HandleOutOfMemory
// (base/out_of_memory.h) calls the handler, too, if a library had no memory.
void EndWhenOutOfMemory();

// Runs all cleanups (base/early_exit_cleanup.h), says on standard error that
// memory is out, and ends the process with exit status 1. Allocates nothing. If
// several threads call it, the first one does that and the others wait for the
// end.
[[noreturn]] void EndOutOfMemory();

}  // namespace perf2x

#endif  // PERF2X_CLI_OUT_OF_MEMORY_H_
