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

// A pool of threads for work in independent parts. ForEach starts the threads
// when it has work for them. If no thread can be started, the caller's thread
// does all the work. Thread-safe, but must not be destroyed during a ForEach.
class WorkerPool {
 public:
  // `threads` is the number of threads that work, the caller's included. Values
  // below 1 count as 1.
  explicit WorkerPool(int threads)
      : max_workers_(threads > 1 ? static_cast<size_t>(threads) - 1 : 0) {}
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // Calls `work` with each number from 0 to `count` - 1, on the caller's thread
  // and on free threads of the pool. The calls begin in ascending order and may
  // overlap. Returns when all calls have returned. `work` may itself call
  // ForEach, but must not throw. If several ForEach run at once, the pool helps
  // the one that began first.
  void ForEach(size_t count, absl::FunctionRef<void(size_t)> work);

  // Returns the number of the pool's threads, started or not, that would help a
  // ForEach now. Other threads may change the number at any time.
  size_t AvailableWorkers() const;

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
  std::deque<Job*> jobs_;    // with calls that have not begun, oldest first
  size_t queued_calls_ = 0;  // calls that have not begun
  size_t busy_workers_ = 0;  // workers that run a call
  bool ends_ = false;
  std::vector<std::thread> workers_;
};

}  // namespace perf2x

#endif  // PERF2X_BASE_WORKER_POOL_H_
