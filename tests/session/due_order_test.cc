// SPDX-License-Identifier: Apache-2.0
#include "converter/session/due_order.h"

#include <gtest/gtest.h>

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
  DueOrder::Turn turn = order.Pop(100);
  EXPECT_EQ(turn.queue, 1u);
  EXPECT_EQ(turn.until, 21u);
  order.Push(20, 1);
  // Of equal times, the lowest index.
  turn = order.Pop(100);
  EXPECT_EQ(turn.queue, 1u);
  EXPECT_EQ(turn.until, 21u);
  turn = order.Pop(25);
  EXPECT_EQ(turn.queue, 2u);
  EXPECT_EQ(turn.until, 25u);
  turn = order.Pop(25);
  EXPECT_EQ(turn.queue, 0u);
  EXPECT_EQ(turn.until, 25u);
  EXPECT_TRUE(order.empty());
}

TEST(DueOrderTest, TheLastTimeDoesNotWrap) {
  DueOrder order;
  order.Push(1, 0);
  order.Push(~uint64_t{0}, 1);
  EXPECT_EQ(order.Pop(~uint64_t{0}).until, ~uint64_t{0});
}

}  // namespace
}  // namespace perf2x
