// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_TESTS_SUPPORT_SPARE_THREAD_H_
#define PERF2X_TESTS_SUPPORT_SPARE_THREAD_H_

#include <atomic>
#include <thread>

#include "converter/base/spare_work.h"

namespace perf2x {

// A thread that does spare work until it is destroyed, as one that waits for
// another stage does.
class SpareThread {
 public:
  explicit SpareThread(SpareWork& work)
      : thread_([this, &work] {
          while (!stop_) {
            if (!work.Do()) std::this_thread::yield();
          }
        }) {}
  ~SpareThread() {
    stop_ = true;
    thread_.join();
  }
  SpareThread(const SpareThread&) = delete;
  SpareThread& operator=(const SpareThread&) = delete;

 private:
  std::atomic<bool> stop_{false};
  std::thread thread_;  // uses the member above
};

}  // namespace perf2x

#endif  // PERF2X_TESTS_SUPPORT_SPARE_THREAD_H_
