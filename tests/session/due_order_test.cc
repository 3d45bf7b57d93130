// SPDX-License-Identifier: Apache-2.0
#include "converter/session/due_order.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <utility>

namespace perf2x {
namespace {

TEST(DueOrderTest, TheEarliestQueueHasItsTurnUntilTheNext) {
  DueOrder order;
  EXPECT_TRUE(order.empty());
  EXPECT_FALSE(order.HasBefore(~uint64_t{0}));
  order.Push(30, 0);
  order.Push(10, 1);
  order.Push(20, 2);
  EXPECT_FALSE(order.HasBefore(10));
  EXPECT_TRUE(order.HasBefore(11));
  DueOrder::Turn turn = order.First(100);
  EXPECT_EQ(turn.queue, 1u);
  EXPECT_EQ(turn.until, 21u);
  order.MoveFirst(20);
  // Of equal times, the lowest index.
  turn = order.First(100);
  EXPECT_EQ(turn.queue, 1u);
  EXPECT_EQ(turn.until, 21u);
  order.RemoveFirst();
  turn = order.First(25);
  EXPECT_EQ(turn.queue, 2u);
  EXPECT_EQ(turn.until, 25u);
  order.RemoveFirst();
  turn = order.First(25);
  EXPECT_EQ(turn.queue, 0u);
  EXPECT_EQ(turn.until, 25u);
  order.RemoveFirst();
  EXPECT_TRUE(order.empty());
}

// Of many queues whose times grow at random, always the earliest has its turn.
TEST(DueOrderTest, ManyQueues) {
  std::mt19937_64 random(1);
  for (size_t queues = 1; queues < 20; ++queues) {
    DueOrder order;
    std::set<std::pair<uint64_t, uint32_t>> all;
    for (uint32_t queue = 0; queue < queues; ++queue) {
      all.emplace(random() % 8, queue);
    }
    for (const auto& [time, queue] : all) order.Push(time, queue);
    for (int i = 0; !all.empty(); ++i) {
      const auto [time, queue] = *all.begin();
      all.erase(all.begin());
      const DueOrder::Turn turn = order.First(1'000'000);
      ASSERT_EQ(turn.queue, queue) << queues << " " << i;
      ASSERT_EQ(turn.until, all.empty() ? 1'000'000 : all.begin()->first + 1);
      if (i < 300) {
        const uint64_t later = time + random() % 8;
        all.emplace(later, queue);
        order.MoveFirst(later);
      } else {
        order.RemoveFirst();
      }
    }
    EXPECT_TRUE(order.empty());
  }
}

TEST(DueOrderTest, TheLastTimeDoesNotWrap) {
  DueOrder order;
  order.Push(1, 0);
  order.Push(~uint64_t{0}, 1);
  EXPECT_EQ(order.First(~uint64_t{0}).until, ~uint64_t{0});
}

}  // namespace
}  // namespace perf2x
