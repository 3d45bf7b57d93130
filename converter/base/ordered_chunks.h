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

// Processes chunks of data on several threads and takes the results in order.
// The caller fills chunk() and pushes it. Its Work() then runs on any thread,
// while other threads process other chunks, and stores the result in the chunk.
// Last, the chunk is taken: Take gets it, and Clear() empties it for its next
// use. A Chunk can be copied and has
//   void Work();
//   void Clear();  // keeps the memory
//
// Chunks are taken on the caller's thread: by Push, once kAhead of them are
// pushed and not taken, and by Finish. So what is charged to a budget when a
// chunk is taken depends neither on timing nor on the number of threads. All
// calls must come from one thread.
template <class Chunk, size_t kChunks = 16>
class OrderedChunks {
 public:
  // The number of chunks: the one being filled, and those that are pushed and
  // not taken. Bounds the number of threads, too.
  static constexpr size_t kAhead = kChunks;
  // Uses the result of a chunk. Not called again after an error.
  using Take = std::function<absl::Status(Chunk&)>;

  // Starts up to `helpers` threads called `name` (see StartThread), when chunks
  // wait for them. The caller's thread processes chunks when it would have to
  // wait, and all of them if there are no threads. Chunks begin as copies of
  // `empty`.
  OrderedChunks(const char* name, size_t helpers, Take take,
                const Chunk& empty = Chunk())
      : name_(name),
        helpers_(std::min(helpers, kAhead)),
        take_(std::move(take)),
        places_(kAhead, Place{empty}) {}
  // Without Finish, some chunks may not be taken.
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
  // Pushes chunk(); chunk() is then an empty one. Returns the first error of
  // the chunks taken so far, also at all later calls.
  absl::Status Push() {
    {
      std::lock_guard lock(mutex_);
      ++pushed_;
      if (!caller_works_) StartHelper();
      pushed_one_.notify_one();
    }
    return pushed_ - taken_ < kAhead ? status_ : TakeOldest();
  }
  // Takes all pushed chunks and returns the first error. chunk() keeps its
  // contents; Push must not be called afterwards.
  absl::Status Finish() {
    while (taken_ < pushed_) TakeOldest().IgnoreError();  // it is in status_
    return status_;
  }
  // Returns true if all pushed chunks were taken.
  bool idle() const { return taken_ == pushed_; }
  // If set, the caller's thread processes all chunks that no other thread has
  // begun. For times when other threads make better use of the processor.
  void set_caller_works(bool works) {
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
  bool any_waits() const { return begun_ < pushed_; }

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
          lock, [this] { return ends_ || (any_waits() && !caller_works_); });
      if (ends_) return;
      WorkOnNext(lock);
    }
  }
  void WorkOnNext(std::unique_lock<std::mutex>& lock) {
    Place& next = place(begun_++);
    lock.unlock();
    next.chunk.Work();
    lock.lock();
    next.done = true;
    done_one_.notify_one();
  }
  absl::Status TakeOldest() {
    Place& oldest = place(taken_);
    {
      std::unique_lock lock(mutex_);
      while (!oldest.done) {
        if (any_waits()) {
          WorkOnNext(lock);
        } else {
          done_one_.wait(lock);
        }
      }
      oldest.done = false;
    }
    if (status_.ok()) status_ = take_(oldest.chunk);
    oldest.chunk.Clear();
    ++taken_;
    return status_;
  }

  const char* const name_;
  size_t helpers_;
  const Take take_;
  absl::Status status_;
  size_t taken_ = 0;
  std::vector<Place> places_;
  std::vector<std::thread> threads_;

  std::mutex mutex_;  // guards what follows, and `done` of all places
  std::condition_variable pushed_one_, done_one_;
  size_t pushed_ = 0, begun_ = 0;  // the caller alone changes pushed_
  bool caller_works_ = false;
  bool ends_ = false;
};

}  // namespace perf2x

#endif  // PERF2X_BASE_ORDERED_CHUNKS_H_
