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
  // Consumes an item and leaves it empty, for its next use. Not called again
  // after an error.
  using Consume = std::function<absl::Status(Item&)>;

  // With `on_thread`, items are consumed on a thread called `name` (see
  // StartThread), which the first Push starts. Without it, or if the thread
  // cannot be started, Push consumes items on the caller's thread. The queue
  // has `places` items, at least 1, which include item() and the one that is
  // being consumed.
  ConsumerQueue(const char* name, bool on_thread, size_t places,
                Consume consume)
      : name_(name),
        on_thread_(on_thread),
        queue_(on_thread ? places : 0),
        consume_(std::move(consume)) {}
  // Without Finish(), some of the pushed items may not be consumed.
  ~ConsumerQueue() {
    if (!thread_.joinable()) return;
    queue_.Abandon();
    thread_.join();
  }
  ConsumerQueue(const ConsumerQueue&) = delete;
  ConsumerQueue& operator=(const ConsumerQueue&) = delete;

  // Returns the item to fill next; valid until Push.
  Item& item() { return *item_; }
  // Pushes item(); item() is then an empty item, except after an error. Waits
  // while the queue is full. Returns the first error of the items consumed so
  // far, also at all later calls.
  absl::Status Push() {
    if (!EnsureThread()) return ConsumeHere();
    if (item_ == &own_) {
      Item* const place = queue_.NextFreeItem();
      if (place == nullptr) return status();
      std::swap(*place, own_);
    }
    queue_.Push();
    Item* const place = queue_.NextFreeItem();
    item_ = place != nullptr ? place : &own_;
    return place != nullptr ? absl::OkStatus() : status();
  }
  // Waits until all pushed items are consumed or one has failed. Returns the
  // first error. Does not consume item(), which keeps its contents. Push must
  // not be called afterwards.
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
