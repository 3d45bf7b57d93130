// SPDX-License-Identifier: Apache-2.0
#include "converter/base/helper_pool.h"

#include <algorithm>
#include <utility>

#include "converter/base/thread.h"

namespace perf2x {

HelperPool::~HelperPool() {
  {
    std::lock_guard lock(mutex_);
    ends_ = true;
    woken_.notify_all();
  }
  for (std::thread& thread : threads_) thread.join();
}

void HelperPool::Add(Queue& queue) {
  std::lock_guard lock(mutex_);
  members_.push_back(std::make_shared<Member>(Member{&queue}));
}

void HelperPool::Remove(Queue& queue) {
  std::unique_lock lock(mutex_);
  const auto at =
      std::find_if(members_.begin(), members_.end(),
                   [&](const auto& member) { return member->queue == &queue; });
  const std::shared_ptr<Member> member = *at;
  members_.erase(at);
  member->queue = nullptr;
  left_.wait(lock, [&] { return member->helpers == 0; });
}

void HelperPool::Wake(size_t wakes, size_t starts) {
  std::lock_guard lock(mutex_);
  ++wakes_;
  size_t helpers = std::min(wakes, waiting_);
  for (size_t i = 0; i < helpers; ++i) woken_.notify_one();
  for (; helpers < starts && threads_.size() < max_threads_; ++helpers) {
    std::thread thread = StartThread(name_, [this] { Run(); });
    if (thread.joinable()) {
      threads_.push_back(std::move(thread));
    } else {
      max_threads_ = threads_.size();
    }
  }
}

size_t HelperPool::FreeThreads() {
  std::lock_guard lock(mutex_);
  return max_threads_ - threads_.size() + waiting_;
}

bool HelperPool::HelpOnce() {
  std::unique_lock lock(mutex_);
  return HelpOnce(lock);
}

// Helps the first queue that has work. Other threads may add and remove queues
// meanwhile.
bool HelperPool::HelpOnce(std::unique_lock<std::mutex>& lock) {
  for (size_t i = 0; i < members_.size(); ++i) {
    const std::shared_ptr<Member> member = members_[i];
    Queue* const queue = member->queue;
    ++member->helpers;
    lock.unlock();
    const bool helped = queue->Help();
    lock.lock();
    --member->helpers;
    if (member->queue == nullptr) left_.notify_all();
    if (helped) return true;
  }
  return false;
}

void HelperPool::Run() {
  std::unique_lock lock(mutex_);
  while (!ends_) {
    const size_t before = wakes_;
    if (HelpOnce(lock)) continue;
    // A queue that was passed may have got work since.
    if (wakes_ != before || ends_) continue;
    ++waiting_;
    woken_.wait(lock, [&] { return ends_ || wakes_ != before; });
    --waiting_;
  }
}

}  // namespace perf2x
