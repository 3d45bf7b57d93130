// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CLI_INTERRUPT_H_
#define PERF2X_CLI_INTERRUPT_H_

namespace perf2x {

// From here on, SIGINT, SIGTERM and SIGHUP run all cleanups
// (base/early_exit_cleanup.h), then end the process as by default; SIGTERM says
// so in a line on standard error. Ignored signals stay ignored. A write beyond
// the limit of file sizes fails with an error instead of ending the process
// (SIGXFSZ). Call this before other threads start. Child processes inherit the
// blocked signals: see UnblockSignals.
void CleanUpWhenInterrupted();

// For input from a pipe: Ctrl-C also stops its writer (`perf record -a`), which
// then writes the rest of its data. From here on, the first SIGINT only prints
// a line on standard error, or nothing if `quiet`, and the conversion goes on
// to the end of its input. The second one, and every other signal, ends the
// process as above. Requires CleanUpWhenInterrupted.
void FinishInputWhenInterrupted(bool quiet);

// Undoes CleanUpWhenInterrupted for the calling thread, before it waits for
// another program: the signals then end the process at once.
void UnblockSignals();

}  // namespace perf2x

#endif  // PERF2X_CLI_INTERRUPT_H_
