// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_THREAD_H_
#define PERF2X_BASE_THREAD_H_

#include <pthread.h>

#include <system_error>
#include <thread>
#include <type_traits>
#include <utility>

namespace perf2x {

// Runs `work` on a new thread. top, gdb and recordings show it as `name`, a
// static string of at most 15 characters. If the system cannot start a thread,
// returns a thread that is not joinable; `work` does not run.
template <class Work>
std::thread StartThread(const char* name, Work&& work) {
  try {
    return std::thread(
        [name, work = std::decay_t<Work>(std::forward<Work>(work))]() mutable {
          pthread_setname_np(pthread_self(), name);
          work();
        });
  } catch (const std::system_error&) {
    return std::thread();
  }
}

}  // namespace perf2x

#endif  // PERF2X_BASE_THREAD_H_
