// SPDX-License-Identifier: Apache-2.0
#include "converter/base/summing_queue.h"

#include <gtest/gtest.h>

#include <set>
#include <thread>
#include <vector>

#include "tests/support/spare_thread.h"

namespace perf2x {
namespace {

using Numbers = std::vector<int>;

class SummingQueueTest : public testing::Test {
 protected:
  SummingQueue<Numbers>::Sum Append() {
    return [this](Numbers& batch) {
      threads_.insert(std::this_thread::get_id());
      got_.insert(got_.end(), batch.begin(), batch.end());
      batch.clear();
    };
  }
  void Push(SummingQueue<Numbers>& queue, int count) {
    for (int i = 0; i < count; ++i) {
      Numbers batch = {pushed_++};
      queue.Push(batch);
      ASSERT_TRUE(batch.empty()) << i;
    }
  }
  void ExpectAll() const {
    ASSERT_EQ(got_.size(), static_cast<size_t>(pushed_));
    for (int i = 0; i < pushed_; ++i) ASSERT_EQ(got_[i], i);
  }

  int pushed_ = 0;
  Numbers got_;
  std::set<std::thread::id> threads_;  // that have summed
  const std::thread::id here_ = std::this_thread::get_id();
};

TEST_F(SummingQueueTest, WithoutAPipelineOrWithOneThreadPushSums) {
  Pipeline one(1);
  for (Pipeline* pipeline : {static_cast<Pipeline*>(nullptr), &one}) {
    SummingQueue<Numbers> queue("test", pipeline, 4, Append());
    Push(queue, 3);
    ExpectAll();
  }
  EXPECT_EQ(threads_, std::set{here_});
}

TEST_F(SummingQueueTest, GoesOnAfterDrain) {
  for (const int threads : {1, 2, 3}) {
    Pipeline pipeline(threads);
    SummingQueue<Numbers> queue("test", &pipeline, 4, Append());
    for (int round = 0; round < 100; ++round) {
      Push(queue, round % 7);
      queue.Drain();
      ExpectAll();
    }
    queue.Finish();
    ExpectAll();
  }
}

TEST_F(SummingQueueTest, ManyThreadsHaveOneForSums) {
  Pipeline pipeline(3);
  SummingQueue<Numbers> queue("test", &pipeline, 4, Append());
  Push(queue, 1000);
  queue.Finish();
  ExpectAll();
  EXPECT_EQ(threads_.size(), 1u);
  EXPECT_EQ(threads_.count(here_), 0u);
}

// The thread that reads helps, and a thread of its own follows when that has
// ended.
TEST_F(SummingQueueTest, OfTwoThreadsTheReaderHelpsUntilItEnds) {
  Pipeline pipeline(2);
  SummingQueue<Numbers> queue("test", &pipeline, 8, Append());
  Push(queue, 4);
  EXPECT_TRUE(got_.empty());
  EXPECT_TRUE(pipeline.spare_work()->Do());
  EXPECT_EQ(got_, Numbers{0});
  Push(queue, 3);
  EXPECT_EQ(threads_, std::set{here_});
  pipeline.EndReading();
  Push(queue, 1);
  EXPECT_GE(got_.size(), 7u);
  EXPECT_FALSE(pipeline.spare_work()->Do());
  Push(queue, 1000);
  queue.Finish();
  ExpectAll();
  EXPECT_EQ(threads_.size(), 2u);
}

TEST_F(SummingQueueTest, SeveralQueuesAreHelped) {
  Pipeline pipeline(2);
  Numbers other;
  SummingQueue<Numbers> first("test", &pipeline, 4, Append());
  {
    SummingQueue<Numbers> second("test", &pipeline, 4, [&](Numbers& batch) {
      other.push_back(batch[0]);
      batch.clear();
    });
    Push(second, 1);
    EXPECT_TRUE(pipeline.spare_work()->Do());
    EXPECT_EQ(other, Numbers{0});
    Push(second, 1);  // not summed: it is dropped
  }
  pushed_ = 0;
  Push(first, 1);
  EXPECT_TRUE(pipeline.spare_work()->Do());
  EXPECT_FALSE(pipeline.spare_work()->Do());
  ExpectAll();
}

TEST_F(SummingQueueTest, InOrderWhileAnotherThreadHelps) {
  Pipeline pipeline(2);
  const SpareThread helper(*pipeline.spare_work());
  SummingQueue<Numbers> queue("test", &pipeline, 4, Append());
  Push(queue, 20'000);
  pipeline.EndReading();
  Push(queue, 20'000);
  queue.Finish();
  ExpectAll();
}

}  // namespace
}  // namespace perf2x
