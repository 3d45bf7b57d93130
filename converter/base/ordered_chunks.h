// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_ORDERED_CHUNKS_H_
#define PERF2X_BASE_ORDERED_CHUNKS_H_

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "converter/base/thread.h"

namespace perf2x {

// Processes chunks of data on several threads and consumes the results in
// order. A Chunk can be copied and has
//   void Work();   // processes the chunk and stores the result in it
//   void Clear();  // empties the chunk for its next use; keeps the memory
//
// The caller fills chunk() and pushes it. Its Work() runs on any thread, while
// other threads process other chunks. Consume runs on the caller's thread. If
// kAhead pushed chunks are not consumed yet, Push consumes the oldest. Finish
// consumes all. So neither timing nor the number of threads affects which call
// consumes a chunk. All calls must come from one thread at a time.
//
// With Order::kOneByOne, Work() runs on one chunk at a time, in order: what it
// uses besides the chunk must not be used by others before Finish.
template <class Chunk, size_t kChunks = 16>
class OrderedChunks {
 public:
  // The number of chunks, chunk() included. Also the limit on the threads that
  // process chunks, the caller's included.
  static constexpr size_t kAhead = kChunks;
  enum class Order { kAtOnce, kOneByOne };
  // Accepts a processed chunk. Not called again after an error.
  using Consume = std::function<absl::Status(Chunk&)>;

  // Up to `helpers` threads called `name` (see StartThread) process chunks;
  // Push starts them when they have work. The caller's thread processes chunks
  // instead of waiting. Chunks begin as copies of `empty`.
  OrderedChunks(const char* name, size_t helpers, Consume consume,
                const Chunk& empty = Chunk(), Order order = Order::kAtOnce)
      : name_(name),
        at_once_(order == Order::kAtOnce),
        helpers_(std::min(helpers, at_once_ ? kAhead : 1)),
        consume_(std::move(consume)),
        places_(kAhead, Place{empty}) {}
  // Without Finish, discards the pushed chunks that are not consumed yet.
  ~OrderedChunks() {
    {
      std::lock_guard lock(mutex_);
      ends_ = true;
      pushed_one_.notify_all();
    }
    for (std::thread& thread : threads_) thread.join();
  }
  OrderedChunks(const OrderedChunks&) = delete;
  OrderedChunks& operator=(const OrderedChunks&) = delete;

  // Returns the chunk to fill next; valid until Push.
  Chunk& chunk() { return place(pushed_).chunk; }
  // Pushes chunk(); chunk() is then an empty chunk. Returns the first error of
  // Consume; all later calls return it, too.
  absl::Status Push() {
    {
      std::lock_guard lock(mutex_);
      ++pushed_;
      if (!caller_works_) StartHelper();
      pushed_one_.notify_one();
    }
    return pushed_ - consumed_ < kAhead ? status_ : ConsumeOldest();
  }
  // Consumes all pushed chunks and returns the first error. Does not push
  // chunk(), which keeps its contents. Push may be called afterwards.
  absl::Status Finish() {
    while (consumed_ < pushed_)
      ConsumeOldest().IgnoreError();  // it is in status_
    return status_;
  }
  // Returns true if all pushed chunks are consumed.
  bool idle() const { return consumed_ == pushed_; }
  // If set, only the caller's thread begins to process chunks. To be set while
  // other work makes better use of the processors.
  void set_work_on_caller(bool works) {
    std::lock_guard lock(mutex_);
    caller_works_ = works;
    if (!works) pushed_one_.notify_all();
  }

 private:
  struct Place {
    Chunk chunk;
    bool done = false;
  };
  Place& place(size_t number) { return places_[number % kAhead]; }
  // With mutex_ held.
  bool may_begin() const { return begun_ < pushed_ && (at_once_ || !works_); }

  // With mutex_ held. One chunk alone is not worth a thread.
  void StartHelper() {
    if (threads_.size() + 1 >= std::min(helpers_ + 1, pushed_ - begun_)) return;
    std::thread helper = StartThread(name_, [this] { Help(); });
    if (helper.joinable()) {
      threads_.push_back(std::move(helper));
    } else {
      helpers_ = threads_.size();
    }
  }
  void Help() {
    std::unique_lock lock(mutex_);
    for (;;) {
      pushed_one_.wait(
          lock, [this] { return ends_ || (may_begin() && !caller_works_); });
      if (ends_) return;
      WorkOnNext(lock);
    }
  }
  void WorkOnNext(std::unique_lock<std::mutex>& lock) {
    Place& next = place(begun_++);
    works_ = true;
    lock.unlock();
    next.chunk.Work();
    lock.lock();
    works_ = false;
    next.done = true;
    if (!at_once_) pushed_one_.notify_one();
    done_one_.notify_one();
  }
  absl::Status ConsumeOldest() {
    Place& oldest = place(consumed_);
    {
      std::unique_lock lock(mutex_);
      while (!oldest.done) {
        if (may_begin()) {
          WorkOnNext(lock);
        } else {
          done_one_.wait(lock);
        }
      }
      oldest.done = false;
    }
    if (status_.ok()) status_ = consume_(oldest.chunk);
    oldest.chunk.Clear();
    ++consumed_;
    return status_;
  }

  const char* const name_;
  const bool at_once_;
  size_t helpers_;
  const Consume consume_;
  absl::Status status_;
  size_t consumed_ = 0;
  std::vector<Place> places_;
  std::vector<std::thread> threads_;

  std::mutex mutex_;  // guards what follows, and `done` of all places
  std::condition_variable pushed_one_, done_one_;
  size_t pushed_ = 0, begun_ = 0;  // the caller alone changes pushed_
  bool works_ = false;             // a thread, if not at_once_
  bool caller_works_ = false;
  bool ends_ = false;
};

}  // namespace perf2x

#endif  // PERF2X_BASE_ORDERED_CHUNKS_H_
