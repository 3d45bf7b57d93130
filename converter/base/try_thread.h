#ifndef PERF2X_BASE_TRY_THREAD_H_
#define PERF2X_BASE_TRY_THREAD_H_

#include <system_error>
#include <thread>
#include <utility>

namespace perf2x {

// Runs `work` on a new thread. Returns one that is not joinable where the
// system has no more threads to give: the caller then does without.
template <class Work>
std::thread TryThread(Work&& work) {
  try {
    return std::thread(std::forward<Work>(work));
  } catch (const std::system_error&) {
    return std::thread();
  }
}

}  // namespace perf2x

#endif  // PERF2X_BASE_TRY_THREAD_H_
