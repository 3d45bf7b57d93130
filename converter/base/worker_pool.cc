// SPDX-License-Identifier: Apache-2.0
#include "converter/base/worker_pool.h"

#include <algorithm>
#include <utility>

#include "converter/base/thread.h"

namespace perf2x {

WorkerPool::~WorkerPool() {
  {
    std::lock_guard lock(mutex_);
    ends_ = true;
    changed_.notify_all();
  }
  for (std::thread& worker : workers_) worker.join();
}

void WorkerPool::ForEach(size_t count, absl::FunctionRef<void(size_t)> work) {
  if (count == 0) return;
  Job job{work, count};
  std::unique_lock lock(mutex_);
  jobs_.push_back(&job);
  queued_calls_ += count;
  while (workers_.size() < max_workers_ &&
         workers_.size() - busy_workers_ < queued_calls_ - 1) {
    std::thread worker = StartThread("perf2x-worker", [this] { Work(); });
    if (!worker.joinable()) break;
    workers_.push_back(std::move(worker));
  }
  changed_.notify_all();
  while (job.begun < job.count) RunNext(job, lock);
  changed_.wait(lock, [&job] { return job.done == job.count; });
}

size_t WorkerPool::AvailableWorkers() const {
  std::lock_guard lock(mutex_);
  return max_workers_ - std::min(max_workers_, busy_workers_ + queued_calls_);
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
  if (++job.done == job.count) changed_.notify_all();
}

void WorkerPool::Work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return ends_ || !jobs_.empty(); });
    if (jobs_.empty()) return;
    ++busy_workers_;
    RunNext(*jobs_.front(), lock);
    --busy_workers_;
  }
}

}  // namespace perf2x
