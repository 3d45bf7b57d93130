// SPDX-License-Identifier: Apache-2.0
#include "converter/base/helper_pool.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

namespace perf2x {
namespace {

// Some parts of work, each of which takes a while.
class Parts : public HelperPool::Queue {
 public:
  explicit Parts(int parts, int microseconds = 0)
      : left_(parts), microseconds_(microseconds) {}
  bool Help() override {
    if (left_.fetch_sub(1) <= 0) {
      ++left_;
      return false;
    }
    ++running_;
    if (microseconds_ > 0) usleep(microseconds_);
    ++done_;
    --running_;
    return true;
  }
  int done() const { return done_; }
  int running() const { return running_; }

 private:
  std::atomic<int> left_, done_ = 0, running_ = 0;
  const int microseconds_;
};

void WaitFor(const Parts& parts, int done) {
  while (parts.done() < done) usleep(100);
}

TEST(HelperPoolTest, HelpsAllQueuesWhenItIsWoken) {
  HelperPool pool("test", 2);
  Parts one(1000), other(1000);
  pool.Add(one);
  pool.Add(other);
  pool.Wake(1, /*starts=*/1);
  WaitFor(one, 1000);
  WaitFor(other, 1000);
  Parts later(1000);
  pool.Add(later);
  pool.Wake(1, /*starts=*/0);  // a thread waits
  WaitFor(later, 1000);
  for (Parts* parts : {&one, &other, &later}) pool.Remove(*parts);
}

TEST(HelperPoolTest, StartsNoThreadThatIsNotWanted) {
  HelperPool pool("test", 1), none("test", 0);
  Parts parts(1);
  for (HelperPool* of : {&pool, &none}) {
    of->Add(parts);
    of->Wake(1, /*starts=*/of == &none ? 1 : 0);
    usleep(20'000);
    EXPECT_EQ(parts.done(), 0);
    of->Remove(parts);
  }
  EXPECT_EQ(pool.size(), 1u);
  EXPECT_EQ(none.size(), 0u);
}

// Each part ends only when there are as many threads as parts.
class Meeting : public HelperPool::Queue {
 public:
  explicit Meeting(int parts) : parts_(parts) {}
  bool Help() override {
    if (begun_.fetch_add(1) >= parts_) return false;
    while (begun_ < parts_ || ends_ == 0) usleep(100);
    ++done_;
    return true;
  }
  bool all_have_begun() const { return begun_ >= parts_; }
  void End() { ends_ = 1; }
  int done() const { return done_; }

 private:
  const int parts_;
  std::atomic<int> begun_ = 0, ends_ = 0, done_ = 0;
};

TEST(HelperPoolTest, WakesAsManyAsAreWanted) {
  HelperPool pool("test", 4);
  EXPECT_EQ(pool.FreeThreads(), 4u);
  for (const int parts : {3, 4}) {  // started, then three woken and one started
    Meeting meeting(parts);
    pool.Add(meeting);
    pool.Wake(parts, parts);
    while (!meeting.all_have_begun()) usleep(100);
    EXPECT_EQ(pool.FreeThreads(), 4u - parts);
    meeting.End();
    while (meeting.done() < parts) usleep(100);
    pool.Remove(meeting);
    while (pool.FreeThreads() < 4) usleep(100);
  }
}

TEST(HelperPoolTest, HelpOnceTakesTheOldestQueueFirst) {
  HelperPool pool("test", 0);
  Parts first(1), second(1);
  pool.Add(first);
  pool.Add(second);
  EXPECT_TRUE(pool.HelpOnce());
  EXPECT_EQ(first.done(), 1);
  EXPECT_TRUE(pool.HelpOnce());
  EXPECT_EQ(second.done(), 1);
  EXPECT_FALSE(pool.HelpOnce());
  pool.Remove(first);
  pool.Remove(second);
  EXPECT_FALSE(pool.HelpOnce());
}

TEST(HelperPoolTest, RemoveWaitsForThoseThatHelp) {
  HelperPool pool("test", 3);
  for (int i = 0; i < 50; ++i) {
    Parts stays(100'000), goes(100'000, /*microseconds=*/300);
    pool.Add(goes);
    pool.Add(stays);
    pool.Wake(1, /*starts=*/1);
    WaitFor(goes, 1);
    pool.Remove(goes);
    ASSERT_EQ(goes.running(), 0);
    const int done = goes.done();
    WaitFor(stays, 1);
    EXPECT_EQ(goes.done(), done);
    pool.Remove(stays);
  }
}

TEST(HelperPoolTest, QueuesComeAndGoWhileItHelps) {
  HelperPool pool("test", 2);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&pool] {
      for (int round = 0; round < 500; ++round) {
        Parts parts(20);
        pool.Add(parts);
        pool.Wake(1, /*starts=*/1);
        while (pool.HelpOnce()) {
        }
        pool.Remove(parts);
        ASSERT_EQ(parts.running(), 0);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace perf2x
