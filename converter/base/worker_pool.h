// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_WORKER_POOL_H_
#define PERF2X_BASE_WORKER_POOL_H_

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "absl/functional/function_ref.h"

namespace perf2x {

// Threads that share work which falls into independent parts. They are started
// when there is something for them; without any, the caller does all.
// Thread-safe.
class WorkerPool {
 public:
  // `threads` are the caller's and those of the pool.
  explicit WorkerPool(int threads)
      : max_workers_(threads > 1 ? static_cast<size_t>(threads) - 1 : 0) {}
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // Calls `work` with each number below `count`, from the least, on the
  // caller's thread and on free ones. Returns when all calls have. A call may
  // call ForEach itself: it gets help once nothing older is left to begin.
  void ForEach(size_t count, absl::FunctionRef<void(size_t)> work);

  // The threads that ForEach would have as help if it were called now.
  size_t spare() const;

 private:
  struct Job {
    absl::FunctionRef<void(size_t)> work;
    const size_t count;
    size_t begun = 0, done = 0;
  };
  void RunNext(Job& job, std::unique_lock<std::mutex>& lock);
  void Work();

  const size_t max_workers_;
  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::deque<Job*> jobs_;  // that have calls to begin, oldest first
  size_t waiting_ = 0;     // calls to begin
  size_t busy_ = 0;        // workers
  bool ends_ = false;
  std::vector<std::thread> workers_;
};

}  // namespace perf2x

#endif  // PERF2X_BASE_WORKER_POOL_H_
