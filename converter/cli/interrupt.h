// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CLI_INTERRUPT_H_
#define PERF2X_CLI_INTERRUPT_H_

namespace perf2x {

// From here on SIGINT, SIGTERM and SIGHUP, unless they are ignored, first undo
// what is unfinished (base/unfinished.h) and then end the process as they
// always do, and a write beyond a limit of file sizes (SIGXFSZ) is an error of
// that write. To be called before other threads start. Children inherit the
// signals blocked: see UnblockSignals.
void CleanUpWhenInterrupted();

// For input from a pipe, whose writer (`perf record -a`) is stopped by the same
// Ctrl-C and then writes what it still has: from here on the first SIGINT or
// SIGTERM changes nothing but that a line on standard error says so, unless
// `quiet`. The conversion ends with its input. The second one ends the process
// as above.
void FinishInputWhenInterrupted(bool quiet);

// Undoes CleanUpWhenInterrupted for the calling thread, before it starts
// another program in this one's place.
void UnblockSignals();

}  // namespace perf2x

#endif  // PERF2X_CLI_INTERRUPT_H_
