// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_CLI_PROGRESS_LINE_H_
#define PERF2X_CLI_PROGRESS_LINE_H_

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "converter/convert/progress.h"

namespace perf2x {

// "perf2x: 45 % of 850 MB, 412 MB/s, 2 s left" `seconds` after the start; of a
// stream "perf2x: 18204 samples in 42 s, 3 MB".
std::string ProgressText(const Progress& progress, double seconds);

// Shows progress in a line on standard error, from a second after the start
// on, as long as it lives; then the line is gone.
class ProgressLine {
 public:
  // Whether anyone would see it: standard error is a terminal and not a log
  // that only calls itself one (CI is set).
  static bool Wanted();

  explicit ProgressLine(const Progress& progress);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // Shows nothing while `f` prints.
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
