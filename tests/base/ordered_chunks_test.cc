// SPDX-License-Identifier: Apache-2.0
#include "converter/base/ordered_chunks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "converter/base/budget.h"
#include "converter/base/output.h"

namespace perf2x {
namespace {

struct Squares {
  std::vector<int> numbers;
  std::vector<int> squares;
  std::thread::id worker;

  void Work() {
    // Chunks are done in another order than they were pushed.
    if (numbers.front() % 3 == 0) {
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
    for (const int n : numbers) squares.push_back(n * n);
    worker = std::this_thread::get_id();
  }
  void Clear() {
    numbers.clear();
    squares.clear();
  }
};

class OrderedChunksTest : public testing::TestWithParam<int> {
 protected:
  HelperPool pool_{"test", static_cast<size_t>(GetParam())};
};

TEST_P(OrderedChunksTest, TakesInOrder) {
  std::vector<int> taken;
  const std::thread::id self = std::this_thread::get_id();
  bool helped = false;
  OrderedChunks<Squares> chunks(&pool_, [&](Squares& c) {
    EXPECT_EQ(std::this_thread::get_id(), self);
    helped |= c.worker != self;
    taken.insert(taken.end(), c.squares.begin(), c.squares.end());
    return absl::OkStatus();
  });
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(chunks.chunk().numbers.empty());
    chunks.chunk().numbers = {2 * i, 2 * i + 1};
    ASSERT_TRUE(chunks.Push().ok());
  }
  EXPECT_TRUE(chunks.Finish().ok());
  ASSERT_EQ(taken.size(), 2000u);
  for (int i = 0; i < 2000; ++i) ASSERT_EQ(taken[i], i * i);
  EXPECT_EQ(helped, GetParam() > 0);
}

// A chunk is taken when a fixed number of others are pushed, never sooner.
TEST_P(OrderedChunksTest, WhenAChunkIsTakenDoesNotDependOnTiming) {
  size_t taken = 0;
  OrderedChunks<Squares> chunks(&pool_, [&](Squares&) {
    ++taken;
    return absl::OkStatus();
  });
  for (size_t i = 1; i <= 200; ++i) {
    chunks.chunk().numbers = {static_cast<int>(i)};
    ASSERT_TRUE(chunks.Push().ok());
    const size_t ahead = OrderedChunks<Squares>::kAhead - 1;
    ASSERT_EQ(taken, i - std::min(i, ahead));
  }
  EXPECT_TRUE(chunks.Finish().ok());
  EXPECT_EQ(taken, 200u);
}

TEST_P(OrderedChunksTest, GoesOnAfterAllAreTaken) {
  std::vector<int> taken;
  OrderedChunks<Squares> chunks(&pool_, [&](Squares& c) {
    taken.insert(taken.end(), c.squares.begin(), c.squares.end());
    return absl::OkStatus();
  });
  EXPECT_TRUE(chunks.idle());
  for (int i = 0; i < 100; ++i) {
    chunks.chunk().numbers = {i};
    ASSERT_TRUE(chunks.Push().ok());
    EXPECT_FALSE(chunks.idle());
    if (i % 7 != 0) continue;
    ASSERT_TRUE(chunks.Finish().ok());
    EXPECT_TRUE(chunks.idle());
    ASSERT_EQ(taken.size(), static_cast<size_t>(i) + 1);
    EXPECT_EQ(taken.back(), i * i);
  }
}

TEST_P(OrderedChunksTest, AnErrorEndsIt) {
  int taken = 0;
  OrderedChunks<Squares> chunks(&pool_, [&](Squares&) {
    return ++taken == 3 ? absl::DataLossError("x") : absl::OkStatus();
  });
  absl::Status status;
  for (int i = 0; i < 100; ++i) {
    chunks.chunk().numbers = {i};
    status = chunks.Push();
  }
  EXPECT_EQ(status.message(), "x");
  EXPECT_EQ(chunks.Finish().message(), "x");
  EXPECT_EQ(taken, 3);
}

// Adds its number to a text that all chunks share.
struct Appended {
  std::string* to;
  int number = 0;

  void Work() {
    if (number % 5 == 0) {
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    to->append(std::to_string(number)).append(" ");
  }
  void Clear() { number = -1; }
};

TEST_P(OrderedChunksTest, ChunksThatShareDataAreProcessedOneByOne) {
  std::string text, expected;
  int taken = 0;
  using Chunks = OrderedChunks<Appended, 4>;
  Chunks chunks(
      &pool_,
      [&](Appended& c) {
        EXPECT_EQ(c.number, taken++);
        return absl::OkStatus();
      },
      Appended{&text}, Chunks::Order::kOneByOne);
  for (int i = 0; i < 1000; ++i) {
    expected += std::to_string(i) + " ";
    chunks.chunk().number = i;
    ASSERT_TRUE(chunks.Push().ok());
    if (i % 100 != 99) continue;
    ASSERT_TRUE(chunks.Finish().ok());
    ASSERT_EQ(text, expected);
  }
  EXPECT_EQ(taken, 1000);
}

// A pool of one thread serves two queues, one of which fills the other.
TEST_P(OrderedChunksTest, QueuesShareHelpers) {
  std::string text, expected;
  OrderedChunks<Appended, 4> last(
      &pool_, [](Appended&) { return absl::OkStatus(); }, Appended{&text},
      OrderedChunks<Appended, 4>::Order::kOneByOne);
  OrderedChunks<Squares> first(&pool_, [&](Squares& c) {
    last.chunk().number = c.squares.front();
    return last.Push();
  });
  for (int i = 0; i < 1000; ++i) {
    expected += std::to_string(i * i) + " ";
    first.chunk().numbers = {i};
    ASSERT_TRUE(first.Push().ok());
  }
  EXPECT_TRUE(first.Finish().ok());
  EXPECT_TRUE(last.Finish().ok());
  EXPECT_EQ(text, expected);
}

TEST_P(OrderedChunksTest, MayBeAbandoned) {
  OrderedChunks<Squares> chunks(&pool_,
                                [](Squares&) { return absl::OkStatus(); });
  for (int i = 0; i < 100; ++i) {
    chunks.chunk().numbers = {i};
    ASSERT_TRUE(chunks.Push().ok());
  }
}

// As emitters do: chunks are written to an output that is accounted for, and
// nothing is added once the budget is exhausted.
TEST(OrderedChunksBudgetTest, WhereItIsExhaustedDoesNotDependOnThreads) {
  const auto numbers_until_exhausted = [](size_t helpers) {
    constexpr Budget::Rules kRules = {{{0, 0}, {0, 0}, {1000, 0}}};
    Budget budget(kRules);
    budget.ReleaseReserve();
    std::string out;
    const auto output = MakeMeteredOutput(MakeStringOutput(&out), budget);
    HelperPool pool("test", helpers);
    OrderedChunks<Squares> chunks(&pool, [&](Squares& c) {
      return output->Write(std::string(c.squares.size() * 10, 'x'));
    });
    int pushed = 0;
    for (; pushed < 1000 && !budget.exhausted(); ++pushed) {
      chunks.chunk().numbers = {pushed};
      EXPECT_TRUE(chunks.Push().ok());
    }
    EXPECT_TRUE(chunks.Finish().ok());
    return pushed;
  };
  const int alone = numbers_until_exhausted(0);
  EXPECT_GT(alone, 100);
  EXPECT_LT(alone, 1000);
  for (const size_t helpers : {1, 2, 3, 16}) {
    for (int i = 0; i < 20; ++i) {
      ASSERT_EQ(numbers_until_exhausted(helpers), alone);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Helpers, OrderedChunksTest, testing::Values(0, 1, 3));

}  // namespace
}  // namespace perf2x
