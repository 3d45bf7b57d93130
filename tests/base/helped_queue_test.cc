// SPDX-License-Identifier: Apache-2.0
#include "converter/base/helped_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "converter/base/spare_work.h"
#include "tests/support/spare_thread.h"

namespace perf2x {
namespace {

using Numbers = std::vector<int>;

class HelpedQueueTest : public testing::Test {
 protected:
  HelpedQueue<Numbers>::Consume Append() {
    return [this](Numbers& item) {
      got_.insert(got_.end(), item.begin(), item.end());
      item.clear();
    };
  }
  static void PushAll(HelpedQueue<Numbers>& queue, int count) {
    for (int i = 0; i < count; ++i) {
      Numbers item = {2 * i, 2 * i + 1};
      queue.Push(item);
      ASSERT_TRUE(item.empty()) << i;
    }
  }
  void ExpectAll(int count) const {
    ASSERT_EQ(got_.size(), static_cast<size_t>(2 * count));
    for (int i = 0; i < 2 * count; ++i) ASSERT_EQ(got_[i], i);
  }

  Numbers got_;
};

TEST_F(HelpedQueueTest, WithoutHelpThePusherConsumesWhatIsBeyondHalf) {
  HelpedQueue<Numbers> queue(6, Append());
  PushAll(queue, 5);
  EXPECT_EQ(got_.size(), 4u);
  queue.Finish();
  ExpectAll(5);
  EXPECT_FALSE(queue.Help());
}

TEST_F(HelpedQueueTest, AHelperConsumesTheOldest) {
  HelpedQueue<Numbers> queue(6, Append());
  PushAll(queue, 3);
  EXPECT_TRUE(queue.Help());
  EXPECT_EQ(got_, (Numbers{0, 1}));
  EXPECT_TRUE(queue.Help());
  EXPECT_TRUE(queue.Help());
  EXPECT_FALSE(queue.Help());
  ExpectAll(3);
}

TEST_F(HelpedQueueTest, InOrderWithAHelperOnAnotherThread) {
  constexpr int kCount = 20'000;
  SpareWork spare;
  const SpareThread helper(spare);
  {
    HelpedQueue<Numbers> queue(4, Append());
    const SpareWork::OfferId offer = spare.Offer([&] { return queue.Help(); });
    PushAll(queue, kCount);
    queue.Finish();
    ExpectAll(kCount);
    spare.Withdraw(offer);
  }
  EXPECT_FALSE(spare.Do());
}

// Of four items, the helper has the first when the fifth is pushed.
TEST_F(HelpedQueueTest, APusherWaitsForTheHelperOnlyIfFull) {
  std::atomic<bool> is_consuming{false}, may_go_on{false};
  HelpedQueue<Numbers> queue(4, [&](Numbers& item) {
    is_consuming = true;
    while (!may_go_on) std::this_thread::yield();
    got_.push_back(item[0]);
    item.clear();
  });
  PushAll(queue, 1);
  std::thread helper([&] { EXPECT_TRUE(queue.Help()); });
  while (!is_consuming) std::this_thread::yield();
  EXPECT_FALSE(queue.Help());
  for (int i : {5, 6, 7}) {
    Numbers next = {i};
    queue.Push(next);
  }
  EXPECT_FALSE(may_go_on);
  std::thread releaser([&] { may_go_on = true; });
  Numbers next = {8};
  queue.Push(next);
  queue.Finish();
  helper.join();
  releaser.join();
  EXPECT_EQ(got_, (Numbers{0, 5, 6, 7, 8}));
}

}  // namespace
}  // namespace perf2x
