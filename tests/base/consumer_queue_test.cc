// SPDX-License-Identifier: Apache-2.0
#include "converter/base/consumer_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <thread>
#include <vector>

namespace perf2x {
namespace {

using Numbers = std::vector<int>;

class ConsumerQueueTest : public testing::TestWithParam<bool> {
 protected:
  ConsumerQueue<Numbers>::Consume Append() {
    return [this](Numbers& item) {
      consumed_.insert(consumed_.end(), item.begin(), item.end());
      consumers_.insert(std::this_thread::get_id());
      item.clear();
      return absl::OkStatus();
    };
  }

  Numbers consumed_;
  std::set<std::thread::id> consumers_;
};

TEST_P(ConsumerQueueTest, ConsumesInOrder) {
  ConsumerQueue<Numbers> queue("test", GetParam(), 3, Append());
  for (int i = 0; i < 10'000; ++i) {
    ASSERT_TRUE(queue.item().empty());
    queue.item().push_back(i);
    ASSERT_TRUE(queue.Push().ok());
  }
  queue.item().push_back(-1);
  EXPECT_TRUE(queue.Finish().ok());
  ASSERT_EQ(consumed_.size(), 10'000u);
  for (int i = 0; i < 10'000; ++i) ASSERT_EQ(consumed_[i], i);
  EXPECT_EQ(queue.item(), Numbers{-1});  // what was not pushed
  ASSERT_EQ(consumers_.size(), 1u);
  EXPECT_EQ(*consumers_.begin() == std::this_thread::get_id(), !GetParam());
}

TEST_P(ConsumerQueueTest, AnErrorEndsIt) {
  std::atomic<int> calls{0};
  ConsumerQueue<Numbers> queue("test", GetParam(), 4, [&](Numbers&) {
    return ++calls == 10 ? absl::DataLossError("full") : absl::OkStatus();
  });
  absl::Status status;
  for (int i = 0; i < 1000 && status.ok(); ++i) status = queue.Push();
  EXPECT_EQ(status.message(), "full");
  EXPECT_EQ(queue.Push().message(), "full");
  EXPECT_EQ(queue.Finish().message(), "full");
  EXPECT_EQ(calls, 10);
}

TEST_P(ConsumerQueueTest, WithoutFinishItMayBeLeft) {
  for (int pushes = 0; pushes < 20; ++pushes) {
    ConsumerQueue<Numbers> queue("test", GetParam(), 4, Append());
    for (int i = 0; i < pushes; ++i) ASSERT_TRUE(queue.Push().ok());
  }
}

TEST_P(ConsumerQueueTest, NothingPushedIsNothingConsumed) {
  ConsumerQueue<Numbers> queue("test", GetParam(), 4, Append());
  EXPECT_TRUE(queue.Finish().ok());
  EXPECT_TRUE(consumers_.empty());
}

INSTANTIATE_TEST_SUITE_P(OnThread, ConsumerQueueTest, testing::Bool());

}  // namespace
}  // namespace perf2x
