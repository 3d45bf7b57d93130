// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_HELPER_POOL_H_
#define PERF2X_BASE_HELPER_POOL_H_

#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace perf2x {

// Threads that help several queues of work (OrderedChunks, WorkerPool). Few
// threads that do whatever is to be done take less time than a thread for each
// queue: these would wait for each other, and for a processor. Thread-safe.
class HelperPool {
 public:
  // A queue of work.
  class Queue {
   public:
    virtual ~Queue() = default;
    // Does a part of the work. Returns false if none can be begun now. Called
    // on any thread, and by several at once. Must not wait for another queue,
    // except in WorkerPool::ForEach.
    virtual bool Help() = 0;
  };

  // `threads` threads called `name` (see StartThread), which start when there
  // is work for them. May be 0.
  HelperPool(const char* name, size_t threads)
      : name_(name), size_(threads), max_threads_(threads) {}
  // All queues must be removed.
  ~HelperPool();
  HelperPool(const HelperPool&) = delete;
  HelperPool& operator=(const HelperPool&) = delete;

  // Returns the constructor's `threads`.
  size_t size() const { return size_; }
  // Adds a queue, which must exist until Remove. Queues that were added before
  // others are helped first.
  void Add(Queue& queue);
  // Returns when no thread helps the queue any more.
  void Remove(Queue& queue);
  // To be called when a queue has work. Wakes up to `wakes` threads that wait;
  // if there are fewer than `starts`, starts others for the rest.
  void Wake(size_t wakes, size_t starts);
  // Returns the number of threads, started or not, that help no queue now.
  // Other threads may change the number at any time.
  size_t FreeThreads();
  // Helps one queue. Returns false if none has work. To be called instead of
  // waiting.
  bool HelpOnce();

 private:
  struct Member {
    Queue* queue;        // null: removed
    size_t helpers = 0;  // threads that help it now
  };
  bool HelpOnce(std::unique_lock<std::mutex>& lock);
  void Run();

  const char* const name_;
  const size_t size_;
  std::mutex mutex_;    // guards what follows, and the members
  size_t max_threads_;  // less than size_ if no more could be started
  std::condition_variable woken_, left_;
  std::vector<std::shared_ptr<Member>> members_;
  size_t wakes_ = 0;    // calls of Wake
  size_t waiting_ = 0;  // threads
  bool ends_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace perf2x

#endif  // PERF2X_BASE_HELPER_POOL_H_
