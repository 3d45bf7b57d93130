// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/html/thread_rows.h"

#include <gtest/gtest.h>

#include "tests/support/small_trace.h"

namespace perf2x {
namespace {

class ThreadRowsTest : public SmallTrace {
 protected:
  ThreadRows rows_{tables_};
};

TEST_F(ThreadRowsTest, ForksAndExitsSayWhenThreadsLived) {
  const ThreadId shell = AddThread(1, 1, "sh", "sh");
  const ThreadId child = AddThread(2, 2, "sh", "sh");
  const ThreadId worker = AddThread(2, 3, "sh", "worker");
  rows_.OnThread(shell, 5);
  rows_.OnFork({10, shell, child});
  rows_.OnThread(child, 10);
  rows_.OnFork({20, child, worker});
  rows_.OnExit({30, worker});
  // It was there before its first record.
  EXPECT_EQ(rows_.life(shell).start, std::nullopt);
  EXPECT_EQ(rows_.life(child).start, 10u);
  EXPECT_EQ(rows_.life(child).end, std::nullopt);
  EXPECT_EQ(rows_.life(worker).start, 20u);
  EXPECT_EQ(rows_.life(worker).end, 30u);
  EXPECT_EQ(rows_.life(worker).process, rows_.life(child).process);
  const auto& process = rows_.processes()[rows_.life(child).process];
  EXPECT_EQ(process.pid, 2);
  EXPECT_EQ(process.parent, rows_.life(shell).process);
}

TEST_F(ThreadRowsTest, AnExecStartsAProcessOfTheSameParent) {
  const ThreadId shell = AddThread(1, 1, "sh", "sh");
  const ThreadId child = AddThread(2, 2, "sh", "sh");
  const ThreadId program = AddThread(2, 2, "cc", "cc");
  rows_.OnThread(shell, {});
  rows_.OnFork({10, shell, child});
  rows_.OnThread(child, 10);
  rows_.OnThread(program, 12);
  rows_.OnExit({40, program});
  EXPECT_EQ(rows_.life(child).end, 12u);
  EXPECT_EQ(rows_.life(program).start, 12u);
  EXPECT_EQ(rows_.life(program).end, 40u);
  EXPECT_NE(rows_.life(program).process, rows_.life(child).process);
  EXPECT_EQ(rows_.processes()[rows_.life(program).process].parent,
            rows_.life(shell).process);
}

TEST_F(ThreadRowsTest, ATidMayBeUsedAgain) {
  const ThreadId first = AddThread(2, 2, "a", "a");
  const ThreadId shell = AddThread(1, 1, "sh", "sh");
  const ThreadId second = AddThread(2, 2, "b", "b");
  rows_.OnThread(first, 1);
  rows_.OnExit({10, first});
  rows_.OnFork({20, shell, second});
  rows_.OnThread(second, 20);
  EXPECT_EQ(rows_.life(first).end, 10u);
  EXPECT_EQ(rows_.life(second).start, 20u);
}

TEST_F(ThreadRowsTest, ThreadsThatNoEventTellsOfHaveARow) {
  const ThreadId thread = AddThread(7, 8, "p", "t");
  EXPECT_EQ(rows_.processes()[rows_.life(thread).process].pid, 7);
  EXPECT_EQ(rows_.processes()[0].parent, kNoId);
}

}  // namespace
}  // namespace perf2x
