// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_HELPED_QUEUE_H_
#define PERF2X_BASE_HELPED_QUEUE_H_

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

namespace perf2x {

// Passes items to a consumer, in order and one at a time, on the thread that
// pushes them or on another one that calls Help. Items, and the memory that
// they own, are allocated once and reused.
template <class Item>
class HelpedQueue {
 public:
  // Consumes an item and empties it for its next use.
  using Consume = std::function<void(Item&)>;

  // `capacity`, at least 1, is the number of items that wait or are being
  // consumed.
  HelpedQueue(size_t capacity, Consume consume)
      : items_(capacity), consume_(std::move(consume)) {}
  HelpedQueue(const HelpedQueue&) = delete;
  HelpedQueue& operator=(const HelpedQueue&) = delete;

  // Exchanges `item` for an empty one. If the queue is half full and no other
  // thread consumes an item, first consumes the oldest. If the queue is full,
  // waits until the other thread has consumed its item. To be called from one
  // thread.
  void Push(Item& item) {
    std::unique_lock lock(mutex_);
    while (held() >= (items_.size() + 1) / 2 &&
           (!is_consuming_ || held() == items_.size())) {
      ConsumeOrWait(lock);
    }
    std::swap(item, items_[pushed_++ % items_.size()]);
  }
  // Consumes the oldest item. Returns false if there is none, or if another
  // thread consumes one. Thread-safe.
  bool Help() {
    std::unique_lock lock(mutex_);
    if (is_consuming_ || held() == 0) return false;
    ConsumeOldest(lock);
    return true;
  }
  // Returns when all items are consumed. To be called from the thread that
  // pushes.
  void Finish() {
    std::unique_lock lock(mutex_);
    while (held() > 0) ConsumeOrWait(lock);
  }

 private:
  size_t held() const { return pushed_ - consumed_; }
  void ConsumeOrWait(std::unique_lock<std::mutex>& lock) {
    if (!is_consuming_) return ConsumeOldest(lock);
    waits_ = true;
    changed_.wait(lock, [this] { return !is_consuming_; });
    waits_ = false;
  }
  void ConsumeOldest(std::unique_lock<std::mutex>& lock) {
    is_consuming_ = true;
    Item& item = items_[consumed_ % items_.size()];
    lock.unlock();
    consume_(item);
    lock.lock();
    ++consumed_;
    is_consuming_ = false;
    if (waits_) changed_.notify_one();
  }

  std::vector<Item> items_;
  const Consume consume_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  size_t pushed_ = 0, consumed_ = 0;
  bool is_consuming_ = false, waits_ = false;
};

}  // namespace perf2x

#endif  // PERF2X_BASE_HELPED_QUEUE_H_
