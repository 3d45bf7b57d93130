// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/interrupt.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <thread>

#include "absl/strings/string_view.h"
#include "converter/base/early_exit_cleanup.h"
#include "converter/base/thread.h"

namespace perf2x {
namespace {

sigset_t awaited;
// What SIGXFSZ did before CleanUpWhenInterrupted.
void (*too_large_before)(int) = SIG_DFL;

enum class First { kEndsProcess, kIsReported, kIsQuiet };
std::atomic<First> first{First::kEndsProcess};

// Returns true if the input is to be read to its end, in spite of `signal`.
bool InputGoesOn(int signal) {
  if (signal != SIGINT) return false;
  const First how = first.exchange(First::kEndsProcess);
  if (how == First::kIsReported) {
    // Overwrites a progress line and the "^C" that the terminal shows.
    std::fprintf(stderr,
                 "%sperf2x: interrupted: finishing at the end of the input; "
                 "once more aborts\n",
                 isatty(STDERR_FILENO) != 0 ? "\r\x1b[K" : "");
  }
  return how != First::kEndsProcess;
}

// Says on standard error what ends the process. Does not wait: not for the
// reader of a full pipe, nor for a thread that waits for it.
void TellEnd(int signal) {
  if (signal != SIGTERM) return;  // the user knows, or the terminal is gone
  constexpr absl::string_view kText =
      "perf2x: ended by SIGTERM; what was unfinished is removed\n";
  pollfd error = {.fd = STDERR_FILENO, .events = POLLOUT, .revents = 0};
  if (poll(&error, 1, /*timeout=*/0) != 1 || (error.revents & POLLOUT) == 0 ||
      write(STDERR_FILENO, kText.data(), kText.size()) < 0) {
    return;
  }
}

// Runs on a thread of its own, which may do what a signal handler may not.
void Await() {
  int signal = 0;
  do {
    if (sigwait(&awaited, &signal) != 0) return;
  } while (InputGoesOn(signal));
  RunEarlyExitCleanups();
  TellEnd(signal);
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, signal);
  pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
  // Ends the process by this signal, so that the parent process sees which one
  // it was.
  kill(getpid(), signal);
}

}  // namespace

void CleanUpWhenInterrupted() {
  too_large_before = signal(SIGXFSZ, SIG_IGN);
  sigemptyset(&awaited);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action;
    // Does not block ignored signals (nohup): a blocked signal stays pending
    // even if it is ignored, and sigwait would return it.
    if (sigaction(signal, nullptr, &action) == 0 &&
        action.sa_handler == SIG_DFL) {
      sigaddset(&awaited, signal);
    }
  }
  pthread_sigmask(SIG_BLOCK, &awaited, nullptr);
  std::thread thread = StartThread("perf2x-signals", Await);
  if (thread.joinable()) {
    thread.detach();
  } else {
    pthread_sigmask(SIG_UNBLOCK, &awaited, nullptr);
  }
}

void IgnoreFirstInterrupt(bool quiet) {
  first = quiet ? First::kIsQuiet : First::kIsReported;
}

void UnblockSignals() {
  signal(SIGXFSZ, too_large_before);
  pthread_sigmask(SIG_UNBLOCK, &awaited, nullptr);
}

}  // namespace perf2x
