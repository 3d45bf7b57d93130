#ifndef PERF2X_BASE_UNFINISHED_H_
#define PERF2X_BASE_UNFINISHED_H_

#include <cstdint>
#include <functional>

namespace perf2x {

// Something half done that is better undone when the process must end: a file
// under a temporary name, a folder with nothing in it yet. Lives as long as it
// is unfinished.
class Unfinished {
 public:
  // `undo` may run on another thread, also while what it undoes goes on.
  explicit Unfinished(std::function<void()> undo);
  ~Unfinished();
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;

 private:
  uint64_t id_;
};

// Undoes all that is unfinished. Whoever begins or finishes something from then
// on waits for the end of the process.
void UndoUnfinished();

}  // namespace perf2x

#endif  // PERF2X_BASE_UNFINISHED_H_
