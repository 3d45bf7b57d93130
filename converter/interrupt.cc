#include "converter/interrupt.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "converter/base/unfinished.h"

namespace perf2x {
namespace {

sigset_t awaited;

// A thread of its own may do what a signal handler may not.
void* Await(void*) {
  int signal = 0;
  if (sigwait(&awaited, &signal) != 0) return nullptr;
  UndoUnfinished();
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, signal);
  pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
  // The caller is told by what signal this ended.
  kill(getpid(), signal);
  return nullptr;
}

}  // namespace

void CleanUpWhenInterrupted() {
  sigemptyset(&awaited);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action;
    // Blocked signals are kept even when they are to be ignored (nohup).
    if (sigaction(signal, nullptr, &action) == 0 &&
        action.sa_handler == SIG_DFL) {
      sigaddset(&awaited, signal);
    }
  }
  pthread_sigmask(SIG_BLOCK, &awaited, nullptr);
  pthread_t thread;
  if (pthread_create(&thread, nullptr, Await, nullptr) != 0) {
    pthread_sigmask(SIG_UNBLOCK, &awaited, nullptr);
    return;
  }
  pthread_detach(thread);
}

}  // namespace perf2x
