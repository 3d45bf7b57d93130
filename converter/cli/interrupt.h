// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CLI_INTERRUPT_H_
#define PERF2X_CLI_INTERRUPT_H_

namespace perf2x {

// Makes SIGINT, SIGTERM and SIGHUP run all cleanups (base/early_exit_cleanup.h)
// before they end the process. SIGTERM also prints a line on standard error.
// Ignored signals stay ignored. Also ignores SIGXFSZ: a write beyond the file
// size limit then fails instead of ending the process.
//
// Blocks these signals, and starts a thread that waits for them. To be called
// before other threads start. Later child processes inherit the blocked
// signals, unless UnblockSignals was called.
void CleanUpWhenInterrupted();

// Keeps the first SIGINT from ending the process. Prints a line on standard
// error instead, unless `quiet`. For input from a pipe: Ctrl-C also stops its
// writer (`perf record -a`), whose last data must still be read. A second
// SIGINT, and any SIGTERM or SIGHUP, ends the process. Requires
// CleanUpWhenInterrupted.
void IgnoreFirstInterrupt(bool quiet);

// Undoes CleanUpWhenInterrupted: unblocks the signals for the calling thread.
// They then end the process at once, without cleanups. SIGXFSZ does what it did
// before. To be called before waiting for another program.
void UnblockSignals();

}  // namespace perf2x

#endif  // PERF2X_CLI_INTERRUPT_H_
