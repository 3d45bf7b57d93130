// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_ORDERED_CHUNKS_H_
#define PERF2X_BASE_ORDERED_CHUNKS_H_

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "converter/base/helper_pool.h"

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
class OrderedChunks final : private HelperPool::Queue {
 public:
  // The number of chunks, chunk() included. Also the limit on the threads that
  // process chunks, the caller's included.
  static constexpr size_t kAhead = kChunks;
  enum class Order { kAtOnce, kOneByOne };
  // Accepts a processed chunk. Not called again after an error.
  using Consume = std::function<absl::Status(Chunk&)>;

  // Threads of `helpers` process chunks; null: only the caller's does. Instead
  // of waiting, the caller's thread processes chunks, or helps what else
  // `helpers` help. Chunks begin as copies of `empty`. A helper is woken when
  // `wake_at` chunks wait: for a small one, that takes longer than the work.
  OrderedChunks(HelperPool* helpers, Consume consume,
                const Chunk& empty = Chunk(), Order order = Order::kAtOnce,
                size_t wake_at = 1)
      : wake_at_(wake_at),
        at_once_(order == Order::kAtOnce),
        consume_(std::move(consume)),
        places_(kAhead, Place{empty}) {
    if (helpers != nullptr) UseHelpers(*helpers);
  }
  // Without Finish, discards the pushed chunks that are not consumed yet.
  ~OrderedChunks() override {
    {
      std::lock_guard lock(mutex_);
      ends_ = true;
    }
    if (helpers_ != nullptr) helpers_->Remove(*this);
  }
  OrderedChunks(const OrderedChunks&) = delete;
  OrderedChunks& operator=(const OrderedChunks&) = delete;

  // As the constructor's `helpers`, if that was null. To be called before the
  // first Push.
  void UseHelpers(HelperPool& helpers) {
    if (helpers.size() == 0) return;
    helpers_ = &helpers;
    helpers.Add(*this);
  }

  // Returns the chunk to fill next; valid until Push.
  Chunk& chunk() { return place(pushed_).chunk; }
  // Pushes chunk(); chunk() is then an empty chunk. Returns the first error of
  // Consume; all later calls return it, too.
  absl::Status Push() {
    size_t waiting = 0;
    {
      std::lock_guard lock(mutex_);
      ++pushed_;
      if (at_once_ || !works_) waiting = pushed_ - begun_;
    }
    // One chunk alone is not worth a thread.
    if (helpers_ != nullptr && waiting >= wake_at_) {
      helpers_->Wake(1, waiting > 1 ? 1 : 0);
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

 private:
  struct Place {
    Chunk chunk;
    bool done = false;
  };
  Place& place(size_t number) { return places_[number % kAhead]; }
  // With mutex_ held.
  bool may_begin() const {
    return begun_ < pushed_ && (at_once_ || !works_) && !ends_;
  }

  bool Help() override {
    std::unique_lock lock(mutex_);
    if (!may_begin()) return false;
    WorkOnNext(lock);
    return true;
  }
  void WorkOnNext(std::unique_lock<std::mutex>& lock) {
    Place& next = place(begun_++);
    works_ = true;
    lock.unlock();
    next.chunk.Work();
    lock.lock();
    works_ = false;
    next.done = true;
    done_one_.notify_one();
  }
  absl::Status ConsumeOldest() {
    Place& oldest = place(consumed_);
    {
      std::unique_lock lock(mutex_);
      while (!oldest.done) {
        if (may_begin()) {
          WorkOnNext(lock);
        } else if (!HelpOthers(lock)) {
          done_one_.wait(lock, [&] { return oldest.done || may_begin(); });
        }
      }
      oldest.done = false;
    }
    if (status_.ok()) status_ = consume_(oldest.chunk);
    oldest.chunk.Clear();
    ++consumed_;
    return status_;
  }
  bool HelpOthers(std::unique_lock<std::mutex>& lock) {
    if (helpers_ == nullptr) return false;
    lock.unlock();
    const bool helped = helpers_->HelpOnce();
    lock.lock();
    return helped;
  }

  const size_t wake_at_;
  const bool at_once_;
  HelperPool* helpers_ = nullptr;
  const Consume consume_;
  absl::Status status_;
  size_t consumed_ = 0;
  std::vector<Place> places_;

  std::mutex mutex_;  // guards what follows, and `done` of all places
  std::condition_variable done_one_;
  size_t pushed_ = 0, begun_ = 0;  // the caller alone changes pushed_
  bool works_ = false;             // a thread, if not at_once_
  bool ends_ = false;
};

}  // namespace perf2x

#endif  // PERF2X_BASE_ORDERED_CHUNKS_H_
