// SPDX-License-Identifier: Apache-2.0
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
// own is allocated once. Who has to wait does so until half of the places are
// free or full: to be woken for each item costs more than many items.
template <class T>
class BoundedQueue {
 public:
  explicit BoundedQueue(size_t places) : items_(places) {}

  // For the writer: a place to fill, which Push hands over. Null once the
  // reader closed the queue.
  T* Place() {
    std::unique_lock lock(mutex_);
    if (held() == items_.size() && !closed_) {
      writer_waits_ = true;
      changed_.wait(lock, [this] { return !writer_waits_; });
    }
    return closed_ ? nullptr : &items_[written_ % items_.size()];
  }
  void Push() {
    std::lock_guard lock(mutex_);
    ++written_;
    if (reader_waits_ && held() >= (items_.size() + 1) / 2)
      Wake(&reader_waits_);
  }
  // Waits until all that was pushed is popped, or the reader closed the queue.
  void Drain() {
    std::unique_lock lock(mutex_);
    if (held() == 0 || closed_) return;
    Wake(&reader_waits_);
    drains_ = writer_waits_ = true;
    changed_.wait(lock, [this] { return !writer_waits_; });
    drains_ = false;
  }
  // There is nothing more to come.
  void Finish() {
    std::lock_guard lock(mutex_);
    finished_ = true;
    Wake(&reader_waits_);
  }
  // The same; and what the reader has not begun with is not to be read.
  void Abandon() {
    std::lock_guard lock(mutex_);
    finished_ = abandoned_ = true;
    Wake(&reader_waits_);
  }

  // For the reader: the next item, null at the end. Pop frees its place.
  T* Front() {
    std::unique_lock lock(mutex_);
    if (held() == 0 && !finished_) {
      reader_waits_ = true;
      changed_.wait(lock, [this] { return !reader_waits_; });
    }
    if (held() == 0 || abandoned_) return nullptr;
    return &items_[read_ % items_.size()];
  }
  void Pop() {
    std::lock_guard lock(mutex_);
    ++read_;
    if (writer_waits_ && held() <= (drains_ ? 0 : items_.size() / 2)) {
      Wake(&writer_waits_);
    }
  }
  // No more will be read.
  void Close() {
    std::lock_guard lock(mutex_);
    closed_ = true;
    Wake(&writer_waits_);
  }

 private:
  size_t held() const { return written_ - read_; }
  void Wake(bool* waits) {
    *waits = false;
    changed_.notify_one();
  }

  std::vector<T> items_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  size_t written_ = 0, read_ = 0;
  bool writer_waits_ = false, reader_waits_ = false;  // never both
  bool drains_ = false;  // the writer waits until nothing is held
  bool finished_ = false, abandoned_ = false, closed_ = false;
};

}  // namespace perf2x

#endif  // PERF2X_BASE_BOUNDED_QUEUE_H_
