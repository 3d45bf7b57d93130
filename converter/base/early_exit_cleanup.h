// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_EARLY_EXIT_CLEANUP_H_
#define PERF2X_BASE_EARLY_EXIT_CLEANUP_H_

#include <functional>

namespace perf2x {

// Registers a function that undoes unfinished work if the process has to end
// early. For example, the function removes a file under a temporary name, or a
// new folder that is still empty. The destructor unregisters the function
// without calling it. Cleanups may be made and destroyed on any thread.
class EarlyExitCleanup {
 public:
  // `undo` may run on another thread, while the work that it undoes continues.
  // `undo` must not allocate memory, and must not make or destroy a cleanup.
  explicit EarlyExitCleanup(std::function<void()> undo);
  ~EarlyExitCleanup();
  EarlyExitCleanup(const EarlyExitCleanup&) = delete;
  EarlyExitCleanup& operator=(const EarlyExitCleanup&) = delete;

 private:
  friend void RunEarlyExitCleanups();

  const std::function<void()> undo_;
  // Links of the list of all cleanups.
  EarlyExitCleanup* older_ = nullptr;
  EarlyExitCleanup* newer_ = nullptr;
};

// Calls `undo` of all cleanups, the newest first. To be called once, just
// before the process ends, and not in a signal handler. A second call blocks
// for ever. Afterwards, a thread that makes or destroys a cleanup blocks until
// the process ends.
void RunEarlyExitCleanups();

}  // namespace perf2x

#endif  // PERF2X_BASE_EARLY_EXIT_CLEANUP_H_
