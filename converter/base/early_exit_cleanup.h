// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_EARLY_EXIT_CLEANUP_H_
#define PERF2X_BASE_EARLY_EXIT_CLEANUP_H_

#include <functional>

namespace perf2x {

// Undoes something half done if the process must end meanwhile: a file under a
// temporary name, a folder with nothing in it yet. Lives while it is half done;
// its destructor only forgets it.
class EarlyExitCleanup {
 public:
  // `undo` may run on another thread, also while what it undoes goes on, and
  // must not allocate memory.
  explicit EarlyExitCleanup(std::function<void()> undo);
  ~EarlyExitCleanup();
  EarlyExitCleanup(const EarlyExitCleanup&) = delete;
  EarlyExitCleanup& operator=(const EarlyExitCleanup&) = delete;

 private:
  friend void RunEarlyExitCleanups();

  const std::function<void()> undo_;
  // A list of all of them.
  EarlyExitCleanup* older_ = nullptr;
  EarlyExitCleanup* newer_ = nullptr;
};

// Undoes all that is half done. Who makes or destroys a cleanup from then on
// waits for the end of the process.
void RunEarlyExitCleanups();

}  // namespace perf2x

#endif  // PERF2X_BASE_EARLY_EXIT_CLEANUP_H_
