#ifndef PERF2X_BASE_UNFINISHED_H_
#define PERF2X_BASE_UNFINISHED_H_

#include <functional>

namespace perf2x {

// Something half done that is better undone when the process must end: a file
// under a temporary name, a folder with nothing in it yet. Lives as long as it
// is unfinished.
class Unfinished {
 public:
  // `undo` may run on another thread, also while what it undoes goes on, and
  // must not allocate memory.
  explicit Unfinished(std::function<void()> undo);
  ~Unfinished();
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;

 private:
  friend void UndoUnfinished();

  const std::function<void()> undo_;
  // A list of all that is unfinished.
  Unfinished* older_ = nullptr;
  Unfinished* newer_ = nullptr;
};

// Undoes all that is unfinished. Whoever begins or finishes something from then
// on waits for the end of the process.
void UndoUnfinished();

}  // namespace perf2x

#endif  // PERF2X_BASE_UNFINISHED_H_
