// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CLI_OUT_OF_MEMORY_H_
#define PERF2X_CLI_OUT_OF_MEMORY_H_

namespace perf2x {

// From here on an allocation that fails, on any thread, ends the process: what
// is unfinished is undone (base/unfinished.h), a line on standard error says
// why, and the exit status is 1.
void EndWhenOutOfMemory();

// Does so now, for memory that was not asked for by `new`.
[[noreturn]] void EndOutOfMemory();

}  // namespace perf2x

#endif  // PERF2X_CLI_OUT_OF_MEMORY_H_
