// SPDX-License-Identifier: Apache-2.0
#include "converter/base/bounded_queue.h"

#include <gtest/gtest.h>

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
