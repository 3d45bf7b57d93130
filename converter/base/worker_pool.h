// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_WORKER_POOL_H_
#define PERF2X_BASE_WORKER_POOL_H_

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>

#include "absl/functional/function_ref.h"
#include "converter/base/helper_pool.h"

namespace perf2x {

// Work in independent parts, which the threads of a HelperPool share with the
// caller's. If no thread can be started, the caller's does all the work.
// Thread-safe, but must not be destroyed during a ForEach.
class WorkerPool final : private HelperPool::Queue {
 public:
  // `helpers` must outlive this.
  explicit WorkerPool(HelperPool& helpers);
  // With threads of its own. `threads` is the number of threads that work, the
  // caller's included. Values below 1 count as 1.
  explicit WorkerPool(int threads);
  ~WorkerPool() override;
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // Calls `work` with each number from 0 to `count` - 1, on the caller's thread
  // and on those of helpers that are free. The calls begin in ascending order
  // and may overlap. Returns when all calls have returned. `work` may itself
  // call ForEach, but must not throw. If several ForEach run at once, helpers
  // take part in the one that began first.
  void ForEach(size_t count, absl::FunctionRef<void(size_t)> work);

  // Returns the number of helpers, started or not, that would take part in a
  // ForEach now. Other threads may change the number at any time.
  size_t AvailableWorkers() const;

 private:
  struct Job {
    absl::FunctionRef<void(size_t)> work;
    const size_t count;
    size_t begun = 0, done = 0;
  };
  bool Help() override;
  void RunNext(Job& job, std::unique_lock<std::mutex>& lock);

  const std::unique_ptr<HelperPool> own_;  // null: it has none of its own
  HelperPool& helpers_;
  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable done_;
  std::deque<Job*> jobs_;    // with calls that have not begun, oldest first
  size_t queued_calls_ = 0;  // calls that have not begun
};

}  // namespace perf2x

#endif  // PERF2X_BASE_WORKER_POOL_H_
