// SPDX-License-Identifier: Apache-2.0
#include "converter/session/thread_tracker.h"

#include <vector>

#include "tests/session/tracker_test.h"

namespace perf2x {
namespace {

using ThreadTrackerTest = TrackerTest;

CommRecord Comm(int32_t pid, int32_t tid, absl::string_view name) {
  CommRecord comm;
  comm.pid = pid;
  comm.tid = tid;
  comm.comm = name;
  return comm;
}

TEST_F(ThreadTrackerTest, ReportsAThreadOnceUnderEachName) {
  ASSERT_TRUE(threads_.Apply(Comm(7, 7, "sh"), At(1, CommRecord())).ok());
  ASSERT_TRUE(threads_.Apply(Comm(7, 7, "sh"), At(2, CommRecord())).ok());
  EXPECT_EQ(Take(), (Lines{"thread 7/7 sh @1"}));
  ASSERT_TRUE(
      threads_.Apply(Comm(7, 7, "ls"), At(3, CommRecord(), kMiscCommExec))
          .ok());
  EXPECT_EQ(Take(), (Lines{"thread 7/7 ls @3", "exec ls @3"}));
  EXPECT_EQ(threads_.exec_time(), 3u);
  EXPECT_FALSE(threads_.exit_time().has_value());
}

TEST_F(ThreadTrackerTest, ForkAndExit) {
  ForkRecord fork;
  fork.pid = fork.tid = 8;
  fork.ppid = fork.ptid = 7;
  ASSERT_TRUE(threads_.Apply(Comm(7, 7, "sh"), At(1, CommRecord())).ok());
  ASSERT_TRUE(threads_.Apply(fork, At(2, fork)).ok());
  ASSERT_TRUE(
      threads_.Apply(Comm(8, 8, "ls"), At(3, CommRecord(), kMiscCommExec))
          .ok());
  ExitRecord exit;
  exit.pid = exit.tid = 8;
  exit.ppid = exit.ptid = 7;
  ASSERT_TRUE(threads_.Apply(exit, At(4, exit)).ok());
  EXPECT_EQ(Take(),
            (Lines{"thread 7/7 sh @1", "thread 8/8 sh @2", "fork sh sh @2",
                   "thread 8/8 ls @3", "exec ls @3", "exit ls @4"}));
  EXPECT_EQ(threads_.exit_time(), 4u);
  EXPECT_EQ(environment_.calls, (Lines{"fork 7 8"}));
}

TEST_F(ThreadTrackerTest, FindSeesThatANumberIsReused) {
  ThreadState& first = threads_.GetThread(7, 8);
  EXPECT_EQ(&threads_.GetThread(7, 8), &first);
  EXPECT_EQ(threads_.GetThread(9, 8).process->pid, 9);
  // Two numbers that share a slot of the cache.
  threads_.GetThread(7, 8 + 8192);
  EXPECT_EQ(threads_.GetThread(9, 8).tid, 8);
}

TEST_F(ThreadTrackerTest, FindsEachOfManyThreads) {
  std::vector<ThreadState*> threads;
  for (int32_t tid = 0; tid < 20'000; ++tid) {
    threads.push_back(&threads_.GetThread(tid / 2, tid));
  }
  for (int32_t tid = 0; tid < 20'000; ++tid) {
    ThreadState& again = threads_.GetThread(tid / 2, tid);
    ASSERT_EQ(&again, threads[static_cast<size_t>(tid)]) << tid;
    ASSERT_EQ(again.tid, tid);
  }
}

TEST_F(ThreadTrackerTest, OnlyThreadsThatWereSeenAreAnnouncedByNumber) {
  EXPECT_EQ(*threads_.AnnounceIfSeen(8, 1), kNoId);
  threads_.GetThread(7, 8);
  EXPECT_NE(*threads_.AnnounceIfSeen(8, 2), kNoId);
  EXPECT_EQ(Take(), (Lines{"thread 7/8 :8 @2"}));
}

TEST_F(ThreadTrackerTest, NamesTooLongAreCut) {
  const std::string name(1000, 'x');
  ASSERT_TRUE(threads_.Apply(Comm(7, 7, name), At(1, CommRecord())).ok());
  EXPECT_EQ(Take(), (Lines{"thread 7/7 " + std::string(255, 'x') + " @1"}));
  EXPECT_EQ(Diagnosed().size(), 1u);
}

}  // namespace
}  // namespace perf2x
