// SPDX-License-Identifier: Apache-2.0
#include "converter/base/worker_pool.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace perf2x {
namespace {

TEST(WorkerPoolTest, CallsEachNumberOnce) {
  for (const int threads : {-1, 0, 1, 2, 7}) {
    WorkerPool workers(threads);
    for (const size_t count : {0, 1, 2, 1000}) {
      std::vector<std::atomic<int>> calls(count);
      workers.ForEach(count, [&](size_t i) { ++calls[i]; });
      for (const auto& n : calls) ASSERT_EQ(n, 1);
    }
  }
}

TEST(WorkerPoolTest, WithoutThreadsTheCallerDoesAllInOrder) {
  WorkerPool workers(1);
  EXPECT_EQ(workers.AvailableWorkers(), 0u);
  std::vector<size_t> order;
  workers.ForEach(5, [&](size_t i) { order.push_back(i); });
  EXPECT_EQ(order, (std::vector<size_t>{0, 1, 2, 3, 4}));
}

// Two calls that wait for each other end only if there are two threads.
TEST(WorkerPoolTest, ThreadsShareTheWork) {
  WorkerPool workers(2);
  std::atomic<int> begun{0}, looked{0};
  std::mutex mutex;
  std::set<std::string> names;
  workers.ForEach(2, [&](size_t) {
    ++begun;
    while (begun < 2) std::this_thread::yield();
    EXPECT_EQ(workers.AvailableWorkers(), 0u);
    ++looked;
    while (looked < 2) std::this_thread::yield();
    char name[16];
    pthread_getname_np(pthread_self(), name, sizeof(name));
    const std::lock_guard lock(mutex);
    names.insert(name);
  });
  EXPECT_EQ(names.size(), 2u);
  EXPECT_EQ(names.count("perf2x-worker"), 1u);
}

TEST(WorkerPoolTest, SharesThreadsWithOtherQueues) {
  HelperPool helpers("perf2x-helper", 2);
  WorkerPool workers(helpers), others(helpers);
  std::atomic<int> calls{0};
  std::atomic<bool> ends{false};
  // Two threads work for `others`, one of them a helper.
  std::thread other([&] {
    others.ForEach(2, [&](size_t) {
      ++calls;
      while (!ends) std::this_thread::yield();
    });
  });
  while (calls < 2) std::this_thread::yield();
  EXPECT_EQ(workers.AvailableWorkers(), 1u);
  workers.ForEach(1000, [&](size_t) { ++calls; });
  ends = true;
  other.join();
  EXPECT_EQ(calls, 1002);
}

TEST(WorkerPoolTest, WorkMayHavePartsItself) {
  for (const int threads : {1, 2, 3, 8}) {
    WorkerPool workers(threads);
    std::atomic<int> calls{0};
    workers.ForEach(20, [&](size_t) {
      workers.ForEach(
          20, [&](size_t) { workers.ForEach(5, [&](size_t) { ++calls; }); });
    });
    EXPECT_EQ(calls, 2000);
  }
}

TEST(WorkerPoolTest, SeveralCallersShareIt) {
  WorkerPool workers(3);
  std::atomic<int> calls{0};
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i) {
    callers.emplace_back([&] {
      for (int n = 0; n < 200; ++n)
        workers.ForEach(7, [&](size_t) { ++calls; });
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(calls, 4 * 200 * 7);
}

}  // namespace
}  // namespace perf2x
