// SPDX-License-Identifier: Apache-2.0
#include "converter/base/bounded_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace perf2x {
namespace {

TEST(BoundedQueueTest, GivesItemsInOrderThenNull) {
  BoundedQueue<int> queue(3);
  std::thread writer([&] {
    for (int i = 0; i < 10'000; ++i) {
      *queue.NextFreeItem() = i;
      queue.Push();
    }
    queue.Finish();
  });
  for (int i = 0; i < 10'000; ++i) {
    int* item = queue.Front();
    ASSERT_NE(item, nullptr);
    ASSERT_EQ(*item, i);
    queue.Pop();
  }
  EXPECT_EQ(queue.Front(), nullptr);
  writer.join();
}

TEST(BoundedQueueTest, AClosedQueueHasNoPlace) {
  BoundedQueue<int> queue(1);
  int* place = queue.NextFreeItem();
  ASSERT_NE(place, nullptr);
  queue.Push();
  // The only place is taken: the writer waits until the reader gives up.
  std::thread writer([&] { EXPECT_EQ(queue.NextFreeItem(), nullptr); });
  queue.Close();
  writer.join();
}

TEST(BoundedQueueTest, AWriterWithOtherWorkIsWokenEarly) {
  BoundedQueue<int> queue(8);
  for (int i = 0; i < 8; ++i) {
    queue.NextFreeItem();
    queue.Push();
  }
  std::atomic<int> works{0};
  std::atomic<bool> wrote{false};
  std::thread writer([&] {
    wrote = queue.NextFreeItem([&] { return ++works < 3; }) != nullptr;
  });
  while (works < 3) std::this_thread::yield();
  // It very probably waits by then.
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(wrote);
  queue.Front();
  queue.Pop();
  for (int i = 0; i < 10'000 && !wrote; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_TRUE(wrote);
  queue.Close();
  writer.join();
}

TEST(BoundedQueueTest, NoOneReadsWhatIsAbandoned) {
  BoundedQueue<int> queue(8);
  for (int i = 0; i < 5; ++i) {
    queue.NextFreeItem();
    queue.Push();
  }
  EXPECT_NE(queue.Front(), nullptr);
  queue.Pop();
  queue.Abandon();
  EXPECT_EQ(queue.Front(), nullptr);
}

}  // namespace
}  // namespace perf2x
