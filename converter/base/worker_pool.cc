// SPDX-License-Identifier: Apache-2.0
#include "converter/base/worker_pool.h"

#include <algorithm>

namespace perf2x {

WorkerPool::WorkerPool(HelperPool& helpers) : helpers_(helpers) {
  helpers_.Add(*this);
}

WorkerPool::WorkerPool(int threads)
    : own_(std::make_unique<HelperPool>(
          "perf2x-worker", threads > 1 ? static_cast<size_t>(threads) - 1 : 0)),
      helpers_(*own_) {
  helpers_.Add(*this);
}

WorkerPool::~WorkerPool() { helpers_.Remove(*this); }

void WorkerPool::ForEach(size_t count, absl::FunctionRef<void(size_t)> work) {
  if (count == 0) return;
  Job job{work, count};
  {
    std::lock_guard lock(mutex_);
    jobs_.push_back(&job);
    queued_calls_ += count;
  }
  helpers_.Wake(count - 1, count - 1);
  std::unique_lock lock(mutex_);
  while (job.begun < job.count) RunNext(job, lock);
  done_.wait(lock, [&job] { return job.done == job.count; });
}

size_t WorkerPool::AvailableWorkers() const {
  const size_t free = helpers_.FreeThreads();
  std::lock_guard lock(mutex_);
  return free - std::min(free, queued_calls_);
}

bool WorkerPool::Help() {
  std::unique_lock lock(mutex_);
  if (jobs_.empty()) return false;
  RunNext(*jobs_.front(), lock);
  return true;
}

void WorkerPool::RunNext(Job& job, std::unique_lock<std::mutex>& lock) {
  const size_t i = job.begun++;
  --queued_calls_;
  if (job.begun == job.count) {
    jobs_.erase(std::find(jobs_.begin(), jobs_.end(), &job));
  }
  lock.unlock();
  job.work(i);
  lock.lock();
  if (++job.done == job.count) done_.notify_all();
}

}  // namespace perf2x
