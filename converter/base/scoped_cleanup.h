#ifndef PERF2X_BASE_SCOPED_CLEANUP_H_
#define PERF2X_BASE_SCOPED_CLEANUP_H_

#include <functional>

namespace perf2x {

// Something half done that is better undone when the process must end: a file
// under a temporary name, a folder with nothing in it yet. Lives as long as it
// is unfinished.
class ScopedCleanup {
 public:
  // `undo` may run on another thread, also while what it undoes goes on, and
  // must not allocate memory.
  explicit ScopedCleanup(std::function<void()> undo);
  ~ScopedCleanup();
  ScopedCleanup(const ScopedCleanup&) = delete;
  ScopedCleanup& operator=(const ScopedCleanup&) = delete;

 private:
  friend void RunAllCleanups();

  const std::function<void()> undo_;
  // A list of all that is unfinished.
  ScopedCleanup* older_ = nullptr;
  ScopedCleanup* newer_ = nullptr;
};

// Undoes all that is unfinished. Whoever begins or finishes something from then
// on waits for the end of the process.
void RunAllCleanups();

}  // namespace perf2x

#endif  // PERF2X_BASE_SCOPED_CLEANUP_H_
