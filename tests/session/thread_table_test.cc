// SPDX-License-Identifier: Apache-2.0
#include "converter/session/thread_table.h"

#include <gtest/gtest.h>

namespace perf2x {
namespace {

class ThreadTableTest : public testing::Test {
 protected:
  Thread Now(int32_t pid, int32_t tid) {
    bool is_new = false;
    return tables_
        .threads[threads_.IdOf(threads_.GetThread(pid, tid), &is_new)];
  }
  std::string Name(int32_t pid, int32_t tid) {
    return std::string(tables_.strings[Now(pid, tid).name]);
  }
  std::string ProcessName(int32_t pid, int32_t tid) {
    return std::string(tables_.strings[Now(pid, tid).process_name]);
  }
  void Map(int32_t pid, DsoId dso) {
    ProcessState& process = threads_.GetProcess(pid);
    process.map.Insert({0x1000, 0x2000, 0, dso, 0}, arena_);
    if (process.executable == kNoId) process.executable = dso;
  }
  bool HasMap(int32_t pid) {
    return threads_.GetProcess(pid).map.Find(0x1800) != nullptr;
  }

  TraceTables tables_;
  ThreadTable threads_{tables_};
  AddressMap::Arena arena_;
};

TEST_F(ThreadTableTest, NamesWhatNobodyNamed) {
  EXPECT_EQ(Name(0, 0), "swapper");
  EXPECT_EQ(Name(7, 8), ":8");
  EXPECT_EQ(Name(7, 0), "swapper");  // the idle task, whatever its pid
  EXPECT_EQ(Name(-1, 0), "swapper");
  EXPECT_EQ(ProcessName(7, 8), ":7");
  EXPECT_EQ(Name(-1, -1), "[unknown]");
}

TEST_F(ThreadTableTest, ThreadsShareTheNameOfTheirProcess) {
  threads_.Rename(10, 10, "server", false);
  threads_.Fork(10, 11, 10, 10, true);
  EXPECT_EQ(Name(10, 11), "server");
  threads_.Rename(10, 11, "worker", false);
  EXPECT_EQ(Name(10, 11), "worker");
  EXPECT_EQ(ProcessName(10, 11), "server");
}

TEST_F(ThreadTableTest, RenameGivesANewIdAndKeepsTheOld) {
  threads_.Rename(10, 10, "before", false);
  bool is_new = false;
  const ThreadId first = threads_.IdOf(threads_.GetThread(10, 10), &is_new);
  EXPECT_TRUE(is_new);
  is_new = false;
  EXPECT_EQ(threads_.IdOf(threads_.GetThread(10, 10), &is_new), first);
  EXPECT_FALSE(is_new);
  threads_.Rename(10, 10, "after", false);
  const ThreadId second = threads_.IdOf(threads_.GetThread(10, 10), &is_new);
  EXPECT_TRUE(is_new);
  EXPECT_NE(first, second);
  EXPECT_EQ(tables_.strings[tables_.threads[first].name], "before");
  EXPECT_EQ(tables_.strings[tables_.threads[second].name], "after");
}

TEST_F(ThreadTableTest, RenameOfTheProcessRenamesForAllItsThreads) {
  threads_.Rename(10, 10, "one", false);
  threads_.Fork(10, 11, 10, 10, true);
  EXPECT_EQ(ProcessName(10, 11), "one");
  threads_.Rename(10, 10, "two", false);
  EXPECT_EQ(ProcessName(10, 11), "two");
}

TEST_F(ThreadTableTest, ForkCopiesNameAndMemoryOfTheParent) {
  threads_.Rename(10, 10, "sh", false);
  Map(10, 1);
  threads_.Fork(20, 20, 10, 10, true);
  EXPECT_EQ(Name(20, 20), "sh");
  EXPECT_TRUE(HasMap(20));
  EXPECT_EQ(threads_.GetProcess(20).executable, 1u);
  // What the child maps is its own.
  threads_.GetProcess(20).map.Erase(0, ~uint64_t{0}, arena_);
  EXPECT_TRUE(HasMap(10));
}

TEST_F(ThreadTableTest, ForkThatPerfMadeUpHasNoMemoryYet) {
  Map(10, 1);
  threads_.Fork(20, 20, 10, 10, false);
  EXPECT_FALSE(HasMap(20));
}

TEST_F(ThreadTableTest, ExecClearsMemory) {
  Map(10, 1);
  threads_.Rename(10, 10, "new", true);
  EXPECT_FALSE(HasMap(10));
  EXPECT_EQ(threads_.GetProcess(10).executable, kNoId);
}

TEST_F(ThreadTableTest, ReusedNumberIsAnotherProcess) {
  threads_.Rename(10, 11, "old", false);
  EXPECT_EQ(Name(10, 11), "old");
  // The thread 11 now belongs to a process 11 of which nothing was told.
  EXPECT_EQ(Name(11, 11), ":11");
}

TEST_F(ThreadTableTest, ThreadsWithoutATidAreOneOfEachProcess) {
  bool is_new = false;
  const ThreadId none = threads_.IdOf(threads_.GetThread(-1, -1), &is_new);
  const ThreadId one = threads_.IdOf(threads_.GetThread(1, -1), &is_new);
  const ThreadId two = threads_.IdOf(threads_.GetThread(2, -1), &is_new);
  EXPECT_EQ(threads_.IdOf(threads_.GetThread(-1, -1), &is_new), none);
  EXPECT_EQ(threads_.IdOf(threads_.GetThread(1, -1), &is_new), one);
  EXPECT_EQ(threads_.IdOf(threads_.GetThread(2, -1), &is_new), two);
  EXPECT_EQ(tables_.threads[one].pid, 1);
  EXPECT_EQ(tables_.threads[two].pid, 2);
  EXPECT_EQ(tables_.threads.size(), 3u);
}

TEST_F(ThreadTableTest, MainProgramHasMostSamplesOverAllItsRuns) {
  Map(10, 1);
  threads_.GetProcess(10).samples = 5;
  threads_.Rename(10, 10, "next", true);
  Map(10, 2);
  threads_.GetProcess(10).samples = 4;
  Map(20, 2);
  threads_.GetProcess(20).samples = 2;
  EXPECT_EQ(threads_.TakeMainProgram(), 2u);
}

TEST_F(ThreadTableTest, MainProgramIsNoneWithoutSamples) {
  Map(10, 1);
  EXPECT_EQ(threads_.TakeMainProgram(), kNoId);
}

}  // namespace
}  // namespace perf2x
