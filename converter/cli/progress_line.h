// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CLI_PROGRESS_LINE_H_
#define PERF2X_CLI_PROGRESS_LINE_H_

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "converter/convert/progress.h"

namespace perf2x {

// Returns the line to show `seconds` after the start: "perf2x: 45 % of 850 MB,
// 412 MB/s, 2 s left". After 99 % of the input: "perf2x: read 850 MB,
// symbolizing and writing". If the input's size is unknown: "perf2x: 18204
// samples in 42 s, 3.2 MB".
std::string ProgressText(const Progress& progress, double seconds);

// While it exists, shows progress in a line on standard error, beginning one
// second after its construction. The destructor erases the line.
class ProgressLine {
 public:
  // Returns true if standard error is a terminal and the environment variable
  // CI is not set: logs of CI may pose as terminals.
  static bool ShouldShow();

  // Starts a thread, which draws the line. Shows nothing if the thread cannot
  // be started. `progress` must outlive this.
  explicit ProgressLine(const Progress& progress);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // Erases the line and calls `f`, which may print, on the caller's thread. The
  // line is not drawn meanwhile. Thread-safe; `f` must not call Pause.
  template <class F>
  void Pause(F f) {
    const std::lock_guard lock(mutex_);
    Clear();
    f();
  }

 private:
  void Run();
  void Clear();

  const Progress& progress_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stop_ = false;
  bool shown_ = false;
  std::thread thread_;
};

}  // namespace perf2x

#endif  // PERF2X_CLI_PROGRESS_LINE_H_
