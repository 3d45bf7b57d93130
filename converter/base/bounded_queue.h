#ifndef PERF2X_BASE_BOUNDED_QUEUE_H_
#define PERF2X_BASE_BOUNDED_QUEUE_H_

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <utility>
#include <vector>

namespace perf2x {

// Hands items from one thread to another, in order, as many ahead as it has
// places. The items stay in their places and are used again, so that what they
// own is allocated once.
template <class T>
class BoundedQueue {
 public:
  explicit BoundedQueue(size_t places) : items_(places) {}

  // For the writer: a place to fill, which Push hands over. Null once the
  // reader closed the queue.
  T* Place() {
    std::unique_lock lock(mutex_);
    changed_.wait(
        lock, [this] { return written_ - read_ < items_.size() || closed_; });
    return closed_ ? nullptr : &items_[written_ % items_.size()];
  }
  void Push() {
    std::lock_guard lock(mutex_);
    ++written_;
    changed_.notify_one();
  }
  // There is nothing more to come.
  void Finish() {
    std::lock_guard lock(mutex_);
    finished_ = true;
    changed_.notify_one();
  }

  // For the reader: the next item, null at the end. Pop frees its place.
  T* Front() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return written_ > read_ || finished_; });
    return written_ > read_ ? &items_[read_ % items_.size()] : nullptr;
  }
  void Pop() {
    std::lock_guard lock(mutex_);
    ++read_;
    changed_.notify_one();
  }
  // No more will be read.
  void Close() {
    std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_one();
  }

 private:
  std::vector<T> items_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  size_t written_ = 0, read_ = 0;
  bool finished_ = false, closed_ = false;
};

}  // namespace perf2x

#endif  // PERF2X_BASE_BOUNDED_QUEUE_H_
