// SPDX-License-Identifier: Apache-2.0
#include "converter/stages/thread_times.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace perf2x {
namespace {

using Lines = std::vector<std::string>;

// Writes down the stretches of threads that are named after their tids.
class ThreadTimesTest : public testing::Test, private ThreadTimeSink {
 protected:
  ThreadTimesTest() {
    const std::vector<uint64_t> deep = {~uint64_t{127}, 1, 2};
    const std::vector<uint64_t> flat = {~uint64_t{127}, 1};
    deep_ = Intern(deep);
    flat_ = Intern(flat);
  }
  StackId Intern(const std::vector<uint64_t>& words) {
    const absl::Span<const uint8_t> bytes(
        reinterpret_cast<const uint8_t*>(words.data()), words.size() * 8);
    return tables_.stacks.Intern(StackTable::HashOf(0, bytes), 0, bytes, false);
  }
  ThreadId Thread(int32_t tid) {
    for (ThreadId id = 0; id < tables_.threads.size(); ++id) {
      if (tables_.threads[id].tid == tid) return id;
    }
    tables_.threads.push_back({.pid = tid == 0 ? 0 : 1, .tid = tid});
    return static_cast<ThreadId>(tables_.threads.size() - 1);
  }
  void Run(int32_t tid, uint64_t time, int32_t cpu = 0) {
    Switch event;
    event.time = time;
    event.thread = Thread(tid);
    event.cpu = cpu;
    ASSERT_TRUE(times_.OnSwitch(event).ok());
  }
  void Leave(int32_t tid, uint64_t time, absl::string_view state,
             int32_t cpu = 0, StackId stack = kNoId) {
    Switch event;
    event.time = time;
    event.thread = Thread(tid);
    event.out = true;
    event.cpu = cpu;
    event.state = state;
    event.stack = stack;
    ASSERT_TRUE(times_.OnSwitch(event).ok());
  }
  void Wake(int32_t waker, int32_t woken, uint64_t time) {
    Wakeup event;
    event.time = time;
    event.waker = Thread(waker);
    event.woken = Thread(woken);
    ASSERT_TRUE(times_.OnWakeup(event).ok());
  }
  void Sampled(int32_t tid, uint64_t time, uint64_t interval) {
    Sample sample;
    sample.thread = Thread(tid);
    sample.time = time;
    sample.stack = deep_;
    ASSERT_TRUE(times_.OnSample(sample, interval).ok());
  }
  Lines End(uint64_t time) {
    EXPECT_TRUE(times_.Finish(time).ok());
    return lines_;
  }
  absl::Status OnThreadTime(const ThreadTime& t) override {
    static constexpr const char* kNames[] = {"run",     "runnable", "sleep",
                                             "disk",    "stopped",  "lock",
                                             "blocked", "unknown"};
    static constexpr const char* kOrigins[] = {"", " switch", " older"};
    std::string line = absl::StrCat(
        tables_.threads[t.thread].tid, " ",
        kNames[static_cast<size_t>(t.state)], " ", t.duration,
        t.stack == kNoId ? "" : kOrigins[static_cast<size_t>(t.origin)]);
    for (const ThreadId waker : t.wakers) {
      absl::StrAppend(&line, " <", tables_.threads[waker].tid);
    }
    lines_.push_back(line);
    return absl::OkStatus();
  }

  TraceTables tables_;
  StackId deep_, flat_;
  Lines lines_;
  ThreadTimes times_{tables_, *this, /*max_wakers=*/4};
};

TEST_F(ThreadTimesTest, ASleepEndsWithTheWakeUpAndThenTheThreadWaitsForACpu) {
  times_.NoteTime(100);
  Run(7, 110);
  Leave(7, 150, "S", 0, deep_);
  Run(8, 150);
  Wake(8, 7, 170);
  Leave(8, 180, "R+");
  Run(7, 180);
  Leave(7, 200, "D", 0, flat_);
  EXPECT_EQ(End(230), (Lines{"7 blocked 10", "7 run 40 switch", "8 blocked 50",
                             "7 sleep 20 switch <8", "8 run 30",
                             "7 runnable 10 switch <8", "7 run 20", "7 disk 30",
                             "8 runnable 50"}));
}

TEST_F(ThreadTimesTest, StretchesSumUpToTheLife) {
  times_.NoteTime(100);
  ASSERT_TRUE(
      times_.OnFork({.time = 120, .parent = Thread(7), .child = Thread(9)})
          .ok());
  Run(9, 130);
  Sampled(9, 135, 4);
  Leave(9, 140, "S");
  ASSERT_TRUE(times_.OnExit({.time = 150, .thread = Thread(9)}).ok());
  // It exits, so it ran: since when is not known.
  EXPECT_EQ(End(200),
            (Lines{"9 runnable 10", "9 run 5", "9 run 5", "9 unknown 10"}));
}

TEST_F(ThreadTimesTest, TheFirstSwitchOutEndsARunSinceTheRecordingBegan) {
  times_.NoteTime(100);
  Sampled(7, 110, 4);
  Leave(7, 150, "");
  EXPECT_EQ(End(160), (Lines{"7 run 4", "7 run 46", "7 blocked 10 older"}));
}

TEST_F(ThreadTimesTest, SamplesDivideTheRunBeforeTheFirstSwitchOut) {
  times_.NoteTime(100);
  Run(8, 100, 1);
  Sampled(7, 110, 0);
  Sampled(7, 130, 0);
  Sampled(7, 160, 5);
  Leave(7, 180, "S");
  EXPECT_EQ(End(200), (Lines{"7 run 20", "7 run 30", "7 run 30", "8 run 100",
                             "7 sleep 20 older"}));
}

TEST_F(ThreadTimesTest, WithoutSwitchesOnlySamplesTell) {
  times_.NoteTime(100);
  Sampled(7, 110, 4);
  Sampled(7, 112, 4);
  Sampled(7, 140, 4);
  EXPECT_EQ(End(150), (Lines{"7 run 4", "7 run 2", "7 run 4", "7 unknown 40"}));
}

TEST_F(ThreadTimesTest, AnOffCpuSampleIsAWaitThatEndsWithIt) {
  times_.NoteTime(100);
  Sampled(7, 110, 4);
  Sample sleep;
  sleep.thread = Thread(7);
  sleep.time = 150;
  sleep.period = 35;
  sleep.stack = deep_;
  ASSERT_TRUE(times_.OnOffCpuSample(sleep).ok());
  Sampled(7, 152, 4);
  EXPECT_EQ(End(152), (Lines{"7 run 4", "7 blocked 35 switch", "7 run 2",
                             "7 unknown 11"}));
}

TEST_F(ThreadTimesTest, SwitchRecordsThatRepeatTheTracepointAreIgnored) {
  times_.NoteTime(100);
  Run(7, 100);
  Leave(7, 150, "D");
  Leave(7, 151, "");
  Run(7, 160);
  Run(7, 161);
  Leave(7, 170, "S");
  EXPECT_EQ(End(170), (Lines{"7 run 50", "7 disk 10", "7 run 10"}));
}

TEST_F(ThreadTimesTest, ASampleShowsASwitchInThatIsNotRecorded) {
  times_.NoteTime(100);
  Run(7, 100);
  Leave(7, 150, "S");
  Sampled(7, 151, 4);  // being switched
  Sampled(7, 180, 4);
  Leave(7, 185, "S");
  EXPECT_EQ(End(185),
            (Lines{"7 run 50", "7 sleep 26 older", "7 run 4", "7 run 5"}));
}

TEST_F(ThreadTimesTest, AfterALossNothingIsKnownUntilTheNextSwitch) {
  times_.NoteTime(100);
  Run(7, 100, 0);
  Run(8, 100, 1);
  Leave(8, 110, "S", 1);
  times_.OnLost(0);
  Sampled(7, 140, 4);
  Leave(7, 150, "S", 0);
  Run(8, 160, 1);
  EXPECT_EQ(End(170), (Lines{"8 run 10", "7 run 4", "7 sleep 20 older",
                             "7 unknown 46", "8 run 10", "8 unknown 50"}));
}

TEST_F(ThreadTimesTest, ALockIsWhatTheFutexCallWaitsFor) {
  times_.NoteTime(100);
  Run(7, 100);
  times_.OnLock(Thread(7), LockKind::kFutex, true);
  Leave(7, 120, "S");
  Run(7, 150);
  times_.OnLock(Thread(7), LockKind::kFutex, false);
  Leave(7, 160, "S");
  EXPECT_EQ(End(165),
            (Lines{"7 run 20", "7 lock 30", "7 run 10", "7 sleep 5"}));
}

TEST_F(ThreadTimesTest, ALockOfTheKernelWithinAFutexCallDoesNotEndItsWait) {
  times_.NoteTime(100);
  Run(7, 100);
  times_.OnLock(Thread(7), LockKind::kFutex, true);
  times_.OnLock(Thread(7), LockKind::kKernel, true);
  Leave(7, 110, "D");
  Run(7, 115);
  times_.OnLock(Thread(7), LockKind::kKernel, false);
  Leave(7, 120, "S");
  Run(7, 150);
  times_.OnLock(Thread(7), LockKind::kFutex, false);
  Leave(7, 160, "S");
  EXPECT_EQ(End(165), (Lines{"7 run 10", "7 lock 5", "7 run 5", "7 lock 30",
                             "7 run 10", "7 sleep 5"}));
}

TEST_F(ThreadTimesTest, WakersOfWakersAreFollowedAndIdleThreadsHaveNoLife) {
  times_.NoteTime(100);
  Run(0, 100, 1);
  Leave(0, 105, "R", 1);
  for (int32_t tid : {7, 8, 9}) {
    Run(tid, 110, tid);
    Leave(tid, 120, "S", tid);
  }
  Wake(9, 8, 130);
  Wake(8, 7, 140);
  EXPECT_EQ(lines_.back(), "7 sleep 20 <8 <9");
  for (const std::string& line : End(150)) EXPECT_NE(line[0], '0') << line;
}

TEST_F(ThreadTimesTest, AnotherThreadOnTheCpuShowsAMissingSwitchOut) {
  times_.NoteTime(100);
  int32_t tid = 0;
  for (const int32_t cpu : {1, 4095, 4096, 2'000'000'000}) {
    tid += 10;
    Run(tid, 110, cpu);
    Run(tid + 1, 120, cpu);  // `tid` left at an unknown time
    Run(tid, 130, 0);
    Leave(tid, 140, "S", 0);
    EXPECT_EQ(lines_.back(), absl::StrCat(tid, " run 10")) << cpu;
  }
}

TEST_F(ThreadTimesTest, AnExitedThreadLeavesItsCpuUnderNoTid) {
  times_.NoteTime(100);
  Run(7, 100, 3);
  ASSERT_TRUE(times_.OnExit({.time = 150, .thread = Thread(7)}).ok());
  Leave(-1, 160, "", 3);
  EXPECT_EQ(End(200), (Lines{"7 run 60"}));
}

TEST_F(ThreadTimesTest, ATidThatIsUsedAgainHasALifeOfItsOwn) {
  times_.NoteTime(100);
  Run(7, 100);
  ASSERT_TRUE(times_.OnExit({.time = 110, .thread = Thread(7)}).ok());
  Leave(7, 112, "X");
  ASSERT_TRUE(
      times_.OnFork({.time = 150, .parent = Thread(8), .child = Thread(7)})
          .ok());
  Run(7, 155);
  EXPECT_EQ(End(160), (Lines{"7 run 12", "7 runnable 5", "7 run 5"}));
}

// A Go program calls exec from any of its threads.
TEST_F(ThreadTimesTest, AThreadThatCallsExecGoesOnAsTheMainThread) {
  times_.NoteTime(100);
  Run(1, 100, 0);
  Run(7, 110, 1);
  ASSERT_TRUE(times_.OnExit({.time = 120, .thread = Thread(1)}).ok());
  Leave(1, 122, "X", 0);
  ASSERT_TRUE(times_.OnExec({.time = 130, .thread = Thread(1)}).ok());
  Sampled(1, 135, 4);
  Leave(1, 140, "S", 1);
  Run(1, 150, 1);
  ASSERT_TRUE(times_.OnExit({.time = 160, .thread = Thread(1)}).ok());
  Leave(1, 162, "X", 1);
  EXPECT_EQ(End(200), (Lines{"7 blocked 10", "1 run 22", "1 run 4", "7 run 20",
                             "1 run 6", "1 sleep 10 older", "1 run 12 older"}));
}

TEST_F(ThreadTimesTest, AnExecEndsTheLivesOfOtherThreadsWithoutCpus) {
  times_.NoteTime(100);
  Run(7, 110, -1);
  Run(8, 110, -1);
  Leave(8, 112, "S", -1);
  ASSERT_TRUE(times_.OnExit({.time = 120, .thread = Thread(1)}).ok());
  ASSERT_TRUE(times_.OnExec({.time = 130, .thread = Thread(1)}).ok());
  Leave(1, 140, "S", -1);
  EXPECT_EQ(End(150),
            (Lines{"7 blocked 10", "8 blocked 10", "8 run 2", "1 unknown 20",
                   "1 run 10", "7 run 20", "8 sleep 18", "1 sleep 10"}));
}

}  // namespace
}  // namespace perf2x
