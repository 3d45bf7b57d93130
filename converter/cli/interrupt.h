// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CLI_INTERRUPT_H_
#define PERF2X_CLI_INTERRUPT_H_

namespace perf2x {

// Makes SIGINT, SIGTERM and SIGHUP run all cleanups (base/early_exit_cleanup.h)
// before they end the process. On SIGTERM, also prints a line on standard
// error. Ignored signals stay ignored. Ignores SIGXFSZ, so that a write beyond
// the limit of file sizes fails. To be called before other threads start:
// blocks these signals, for a thread that awaits them. Child processes that
// start later inherit them as blocked, unless UnblockSignals was called.
void CleanUpWhenInterrupted();

// Keeps the first SIGINT from ending the process; prints a line on standard
// error instead, unless `quiet`. For input from a pipe: Ctrl-C also stops its
// writer (`perf record -a`), whose last data is still to be read. The second
// SIGINT, and any SIGTERM or SIGHUP, ends the process as before. Requires
// CleanUpWhenInterrupted.
void FinishInputWhenInterrupted(bool quiet);

// Undoes CleanUpWhenInterrupted: unblocks the signals for the calling thread,
// so that they end the process at once, without cleanups, and lets SIGXFSZ end
// the process again. To be called before waiting for another program.
void UnblockSignals();

}  // namespace perf2x

#endif  // PERF2X_CLI_INTERRUPT_H_
