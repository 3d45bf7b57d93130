// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_CONSUMER_QUEUE_H_
#define PERF2X_BASE_CONSUMER_QUEUE_H_

#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

#include "absl/status/status.h"
#include "converter/base/bounded_queue.h"
#include "converter/base/thread.h"

namespace perf2x {

// Passes items to a consumer, in order: by a direct call, or through a queue to
// a thread. Items, and the memory that they own, are allocated once and reused.
// All calls must come from one thread.
template <class Item>
class ConsumerQueue {
 public:
  // Consumes an item and empties it for its next use. Not called again after an
  // error.
  using Consume = std::function<absl::Status(Item&)>;

  // With `on_thread`, the first Push starts a thread called `name` (see
  // StartThread), which consumes the items. Without `on_thread`, or if no
  // thread can be started, Push consumes the item on the caller's thread.
  // `capacity` is at least 1; it includes item() and the item that is being
  // consumed.
  ConsumerQueue(const char* name, bool on_thread, size_t capacity,
                Consume consume)
      : name_(name),
        on_thread_(on_thread),
        queue_(on_thread ? capacity : 0),
        consume_(std::move(consume)) {}
  // Without Finish, discards the pushed items that are not consumed yet.
  ~ConsumerQueue() {
    if (!thread_.joinable()) return;
    queue_.Abandon();
    thread_.join();
  }
  ConsumerQueue(const ConsumerQueue&) = delete;
  ConsumerQueue& operator=(const ConsumerQueue&) = delete;

  // Returns the item to fill next; valid until Push.
  Item& item() { return *item_; }
  // Pushes item(). Waits while the queue is full. Returns the first error of
  // the items consumed so far; all later calls return it, too. After success,
  // item() is an empty item.
  absl::Status Push() {
    if (!EnsureThread()) return ConsumeHere();
    if (item_ == &own_) {
      Item* const next = queue_.NextFreeItem();
      if (next == nullptr) return status();
      std::swap(*next, own_);
    }
    queue_.Push();
    Item* const next = queue_.NextFreeItem();
    item_ = next != nullptr ? next : &own_;
    return next != nullptr ? absl::OkStatus() : status();
  }
  // Waits until all pushed items are consumed or one has failed. Returns the
  // first error. Does not consume item(), which keeps its contents.
  absl::Status Drain() {
    if (thread_.joinable()) queue_.WaitUntilEmpty();
    return status();
  }
  // As Drain, and ends the thread. Push must not be called afterwards.
  absl::Status Finish() {
    if (thread_.joinable()) {
      queue_.Finish();
      thread_.join();
    }
    return status();
  }

 private:
  bool EnsureThread() {
    if (thread_.joinable()) return true;
    if (!on_thread_) return false;
    thread_ = StartThread(name_, [this] { Work(); });
    on_thread_ = thread_.joinable();
    return on_thread_;
  }
  absl::Status ConsumeHere() {
    absl::Status result = status();
    if (result.ok()) result = consume_(*item_);
    if (!result.ok()) Fail(result);
    return result;
  }
  void Work() {
    while (Item* item = queue_.Front()) {
      const absl::Status result = consume_(*item);
      if (!result.ok()) {
        Fail(result);
        return queue_.Close();
      }
      queue_.Pop();
    }
  }
  absl::Status status() {
    std::lock_guard lock(mutex_);
    return status_;
  }
  void Fail(const absl::Status& status) {
    std::lock_guard lock(mutex_);
    status_ = status;
  }

  const char* const name_;
  bool on_thread_;
  Item own_;
  Item* item_ = &own_;  // in queue_ while there is a thread
  BoundedQueue<Item> queue_;
  const Consume consume_;
  std::mutex mutex_;
  absl::Status status_;  // guarded by mutex_
  std::thread thread_;
};

}  // namespace perf2x

#endif  // PERF2X_BASE_CONSUMER_QUEUE_H_
