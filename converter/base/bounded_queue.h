// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_BOUNDED_QUEUE_H_
#define PERF2X_BASE_BOUNDED_QUEUE_H_

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <vector>

namespace perf2x {

// A queue of fixed capacity from one writer thread to one reader thread. Items,
// and the memory that they own, are allocated once and reused. A free item
// keeps the contents that the reader left in it.
//
// Wake-ups are rare, because each costs more than handling many items. A
// waiting writer is woken when half of the items are free, or an eighth if it
// has other work when the queue is full. A waiting reader is woken when half of
// the items are pushed.
template <class T>
class BoundedQueue {
 public:
  // With a capacity of 0, only Finish, Abandon and Close may be called.
  explicit BoundedQueue(size_t capacity)
      : items_(capacity), held_at_wake_(capacity / 2) {}

  // For the writer: returns a free item to fill; Push then passes it to the
  // reader. Waits while the queue is full. Returns null once the reader has
  // closed the queue.
  T* NextFreeItem() {
    return NextFreeItem([] { return false; });
  }
  // As NextFreeItem(), but calls `idle()` instead of waiting, as long as the
  // queue is full and `idle` returns true.
  template <class Idle>
  T* NextFreeItem(Idle idle) {
    while (IsFull() && idle()) {
      held_at_wake_ = items_.size() - items_.size() / 8;
    }
    std::unique_lock lock(mutex_);
    if (held() == items_.size() && !closed_) {
      writer_waits_ = true;
      changed_.wait(lock, [this] { return !writer_waits_; });
    }
    return closed_ ? nullptr : &items_[written_ % items_.size()];
  }
  // For the writer: passes the item of the last NextFreeItem to the reader. A
  // waiting reader may see the item only when half of the items are pushed, or
  // after Finish.
  void Push() {
    std::lock_guard lock(mutex_);
    ++written_;
    if (reader_waits_ && held() >= (items_.size() + 1) / 2)
      Wake(&reader_waits_);
  }
  // For the writer: waits until the reader has popped all items, or closed the
  // queue.
  void WaitUntilEmpty() {
    std::unique_lock lock(mutex_);
    while (held() > 0 && !closed_) {
      if (reader_waits_) Wake(&reader_waits_);
      writer_waits_ = true;
      changed_.wait(lock, [this] { return !writer_waits_; });
    }
  }
  // For the writer: declares that no more items follow. The reader still gets
  // the pushed items.
  void Finish() {
    std::lock_guard lock(mutex_);
    finished_ = true;
    Wake(&reader_waits_);
  }
  // For the writer: as Finish, but discards the pushed items. Front returns
  // null from now on.
  void Abandon() {
    std::lock_guard lock(mutex_);
    finished_ = abandoned_ = true;
    Wake(&reader_waits_);
  }

  // For the reader: waits for the next item and returns it; it is valid until
  // Pop. Returns null after Finish, once no item is left, and after Abandon.
  T* Front() {
    std::unique_lock lock(mutex_);
    if (held() == 0 && !finished_) {
      reader_waits_ = true;
      changed_.wait(lock, [this] { return !reader_waits_; });
    }
    if (held() == 0 || abandoned_) return nullptr;
    return &items_[read_ % items_.size()];
  }
  // For the reader: frees the item that Front returned, for the writer.
  void Pop() {
    std::lock_guard lock(mutex_);
    ++read_;
    if (writer_waits_ && held() <= held_at_wake_) {
      Wake(&writer_waits_);
    }
  }
  // For the reader: declares that it reads no more items. Wakes the writer;
  // NextFreeItem then returns null.
  void Close() {
    std::lock_guard lock(mutex_);
    closed_ = true;
    Wake(&writer_waits_);
  }

 private:
  size_t held() const { return written_ - read_; }
  bool IsFull() {
    std::lock_guard lock(mutex_);
    return held() == items_.size() && !closed_;
  }
  void Wake(bool* waits) {
    *waits = false;
    changed_.notify_one();
  }

  std::vector<T> items_;
  // Items at which a waiting writer is woken. Changes while it does not wait.
  size_t held_at_wake_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  size_t written_ = 0, read_ = 0;
  bool writer_waits_ = false, reader_waits_ = false;  // never both
  bool finished_ = false, abandoned_ = false, closed_ = false;
};

}  // namespace perf2x

#endif  // PERF2X_BASE_BOUNDED_QUEUE_H_
