#include "converter/base/bounded_queue.h"

#include <gtest/gtest.h>

#include <thread>

namespace perf2x {
namespace {

TEST(BoundedQueueTest, GivesItemsInOrderThenNull) {
  BoundedQueue<int> queue(3);
  std::thread writer([&] {
    for (int i = 0; i < 10'000; ++i) {
      *queue.Place() = i;
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
  int* place = queue.Place();
  ASSERT_NE(place, nullptr);
  queue.Push();
  // The only place is taken: the writer waits until the reader gives up.
  std::thread writer([&] { EXPECT_EQ(queue.Place(), nullptr); });
  queue.Close();
  writer.join();
}

}  // namespace
}  // namespace perf2x
