// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/sched_timeline.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace perf2x {
namespace {

constexpr TrackId kIdle = 0, kGone = 9;

// Keeps what it receives as text, in order.
class Log final : public SchedSink {
 public:
  bool IsIdle(TrackId track) const override { return track == kIdle; }
  bool IsGone(TrackId track) const override { return track == kGone; }
  void OnRunning(TrackId track, uint64_t begin, uint64_t end,
                 int32_t cpu) override {
    Add("run ", track, " ", begin, "-", end, " on ", cpu);
  }
  void OnWaiting(TrackId track, absl::string_view letters, uint64_t begin,
                 uint64_t end, absl::string_view blocked_in) override {
    Add("wait ", track, " ", begin, "-", end, " ", letters,
        blocked_in.empty() ? "" : " in ", blocked_in);
  }
  void OnCpuRun(int32_t cpu, TrackId track, uint64_t begin, uint64_t end,
                absl::string_view letters) override {
    Add("cpu", cpu, " ", track, " ", begin, "-", end, " ", letters);
  }
  void OnWokenRun(int32_t from, uint64_t woken, int32_t to,
                  uint64_t ran) override {
    Add("arrow cpu", from, " ", woken, " to cpu", to, " ", ran);
  }
  void OnMigration(TrackId track, uint64_t time, int32_t from,
                   int32_t to) override {
    Add("migrate ", track, " ", time, " cpu", from, " to cpu", to);
  }
  // Returns what came since the last call.
  std::string Take() {
    const std::string text = absl::StrJoin(lines_, "; ");
    lines_.clear();
    return text;
  }

 private:
  template <typename... Parts>
  void Add(Parts... parts) {
    lines_.push_back(absl::StrCat(parts...));
  }

  std::vector<std::string> lines_;
};

class SchedTimelineTest : public ::testing::Test {
 protected:
  void In(uint64_t time, TrackId track, int32_t cpu = 0) {
    timeline_.OnSwitch(track, {.time = time, .cpu = cpu, .state = ""}, "");
  }
  // With a state, the switch-out is that of the tracepoint.
  void Out(uint64_t time, TrackId track, int32_t cpu = 0,
           absl::string_view state = "", absl::string_view blocked_in = "") {
    timeline_.OnSwitch(track,
                       {.time = time, .cpu = cpu, .out = true, .state = state},
                       blocked_in);
  }
  void Wakeup(uint64_t time, TrackId woken, int32_t cpu) {
    timeline_.OnWakeup(woken, {.time = time, .cpu = cpu});
  }

  Log log_;
  SchedTimeline timeline_{log_};
};

TEST_F(SchedTimelineTest, AThreadRunsFromSwitchInToSwitchOut) {
  In(10, 1);
  EXPECT_EQ(log_.Take(), "");
  Out(20, 1, 0, "S", "do_wait");
  EXPECT_EQ(log_.Take(), "run 1 10-20 on 0; cpu0 1 10-20 S");
  In(35, 1);
  EXPECT_EQ(log_.Take(), "wait 1 20-35 S in do_wait");
  Out(40, 1, 0, "R+", "do_wait");
  EXPECT_EQ(log_.Take(), "run 1 35-40 on 0; cpu0 1 35-40 R+");
  timeline_.Finish(50);
  EXPECT_EQ(log_.Take(), "wait 1 40-50 R+");
}

TEST_F(SchedTimelineTest, OnlyRecordedSwitchesBoundARun) {
  Out(20, 1);
  In(30, 2);
  timeline_.Finish(50);
  EXPECT_EQ(log_.Take(), "wait 1 20-50 S");
}

TEST_F(SchedTimelineTest, WithoutAStatePreemptionTellsWhetherAThreadCouldRun) {
  In(1, 1);
  timeline_.OnSwitch(
      1, {.time = 5, .cpu = 0, .out = true, .preempted = true, .state = ""},
      "do_wait");
  In(8, 1);
  EXPECT_EQ(log_.Take(), "run 1 1-5 on 0; cpu0 1 1-5 R+; wait 1 5-8 R+");
}

TEST_F(SchedTimelineTest, TheIdleThreadHasNoRuns) {
  In(10, kIdle);
  Out(20, kIdle, 0, "R");
  timeline_.Finish(30);
  EXPECT_EQ(log_.Take(), "");
}

TEST_F(SchedTimelineTest, ARunOnAnotherCpuIsAMigration) {
  In(10, 1, 0);
  Out(20, 1, 0);
  log_.Take();
  In(30, 1, 3);
  EXPECT_EQ(log_.Take(), "wait 1 20-30 S; migrate 1 30 cpu0 to cpu3");
}

TEST_F(SchedTimelineTest, ARunOnAnUnknownCpuIsNoMigration) {
  In(10, 1, 0);
  Out(20, 1, 0);
  log_.Take();
  In(30, 1, -1);
  EXPECT_EQ(log_.Take(), "wait 1 20-30 S");
}

TEST_F(SchedTimelineTest, RunsWithoutACpuAreThoseOfTheThreadAlone) {
  In(1, 1, -1);
  Out(5, 1, -1);
  EXPECT_EQ(log_.Take(), "run 1 1-5 on -1");
}

TEST_F(SchedTimelineTest, NoEndIsBeforeItsBeginning) {
  In(10, 1);
  Out(8, 1);
  In(6, 1);
  EXPECT_EQ(log_.Take(), "run 1 10-10 on 0; cpu0 1 10-10 S; wait 1 8-8 S");
}

// The tracepoint and the SWITCH record.
TEST_F(SchedTimelineTest, ASwitchThatWasRecordedTwiceCountsOnce) {
  In(10, 1);
  In(11, 1);
  Out(20, 1, 0, "D");
  Out(21, 1, 0, "");
  In(30, 1);
  EXPECT_EQ(log_.Take(), "run 1 10-20 on 0; cpu0 1 10-20 D; wait 1 20-30 D");
}

TEST_F(SchedTimelineTest, AWakeupMakesAThreadRunnable) {
  Out(5, 2, 1, "S", "do_wait");
  Wakeup(10, 2, 0);
  Wakeup(12, 2, 0);  // it is awake already
  In(15, 2, 1);
  EXPECT_EQ(log_.Take(), "wait 2 5-10 S in do_wait; wait 2 10-15 R");
  Wakeup(17, 2, 0);
  Out(20, 2, 1, "S");
  EXPECT_EQ(log_.Take(), "run 2 15-20 on 1; cpu1 2 15-20 S");
}

TEST_F(SchedTimelineTest, AnArrowLeadsFromTheWakersRunToTheRunOfTheWoken) {
  Out(5, 2, 1, "S");
  In(10, 1, 0);
  Wakeup(15, 2, 0);
  In(18, 2, 1);
  Out(25, 2, 1, "S");
  EXPECT_EQ(log_.Take(),
            "wait 2 5-15 S; wait 2 15-18 R; run 2 18-25 on 1; cpu1 2 18-25 S");
  // The arrow begins in a run that is known to be shown only now.
  Out(30, 1, 0, "S");
  EXPECT_EQ(log_.Take(),
            "run 1 10-30 on 0; cpu0 1 10-30 S; arrow cpu0 15 to cpu1 18");
}

TEST_F(SchedTimelineTest, AnArrowWaitsForTheRunOfTheWoken) {
  Out(5, 2, 1, "S");
  In(10, 1, 0);
  Wakeup(15, 2, 0);
  Out(16, 1, 0, "S");
  In(18, 2, 1);
  log_.Take();
  Out(25, 2, 1, "S");
  EXPECT_EQ(log_.Take(),
            "run 2 18-25 on 1; cpu1 2 18-25 S; arrow cpu0 15 to cpu1 18");
}

TEST_F(SchedTimelineTest, NoArrowBeginsOnAnIdleCpu) {
  Out(5, 2, 1, "S");
  In(10, kIdle, 0);
  Wakeup(15, 2, 0);
  In(18, 2, 1);
  Out(25, 2, 1, "S");
  EXPECT_EQ(log_.Take(),
            "wait 2 5-15 S; wait 2 15-18 R; run 2 18-25 on 1; cpu1 2 18-25 S");
}

// The run of thread 1 has no end, as another thread was seen on its CPU.
TEST_F(SchedTimelineTest, NoArrowBeginsInARunThatIsNotShown) {
  Out(5, 2, 1, "S");
  In(10, 1, 0);
  Wakeup(15, 2, 0);
  In(17, 3, 0);
  In(18, 2, 1);
  Out(25, 2, 1, "S");
  Out(30, 1, 0, "S");
  EXPECT_EQ(log_.Take(),
            "wait 2 5-15 S; wait 2 15-18 R; run 2 18-25 on 1; cpu1 2 18-25 S");
}

TEST_F(SchedTimelineTest, AfterALossItIsNotKnownWhatThreadsDo) {
  In(10, 1);
  Out(11, 2, 1);
  timeline_.OnLost(-1);
  Out(20, 1);
  In(25, 2, 1);
  EXPECT_EQ(log_.Take(), "");
  In(30, 1);
  EXPECT_EQ(log_.Take(), "wait 1 20-30 S");
}

TEST_F(SchedTimelineTest, ALossOnOneCpuLeavesRunsOnOthers) {
  In(1, 1, 0);
  In(2, 2, 1);
  timeline_.OnLost(1);
  Out(5, 1, 0);
  Out(6, 2, 1);
  EXPECT_EQ(log_.Take(), "run 1 1-5 on 0; cpu0 1 1-5 S");
}

TEST_F(SchedTimelineTest, AnExitedThreadRunsUntilItsLastSwitchOut) {
  In(10, 1);
  timeline_.OnExit(1, 20);
  Out(25, 1, 0, "X");
  timeline_.Finish(40);
  EXPECT_EQ(log_.Take(), "run 1 10-25 on 0; cpu0 1 10-25 X");
}

// The kernel has taken the number from the exited thread.
TEST_F(SchedTimelineTest, TheSwitchOutOfAGoneThreadEndsTheExitedThread) {
  In(10, 1);
  timeline_.OnExit(1, 20);
  Out(25, kGone, 0, "X");
  timeline_.Finish(40);
  EXPECT_EQ(log_.Take(), "run 1 10-25 on 0; cpu0 1 10-25 X");
}

TEST_F(SchedTimelineTest, WithoutALastSwitchOutTheExitEndsTheRun) {
  In(10, 1, 0);
  In(10, 2, 1);
  timeline_.OnExit(1, 20);
  timeline_.OnExit(2, 21);
  In(30, 3, 0);
  EXPECT_EQ(log_.Take(), "run 1 10-20 on 0; cpu0 1 10-20 X");
  timeline_.Finish(40);
  EXPECT_EQ(log_.Take(), "run 2 10-21 on 1; cpu1 2 10-21 X");
}

TEST_F(SchedTimelineTest, ANumberMayBeUsedAgain) {
  In(10, 1);
  timeline_.OnExit(1, 20);
  timeline_.OnFork(1);
  EXPECT_EQ(log_.Take(), "run 1 10-20 on 0; cpu0 1 10-20 X");
  In(30, 1);
  Out(35, 1);
  timeline_.Finish(40);
  EXPECT_EQ(log_.Take(), "run 1 30-35 on 0; cpu0 1 30-35 S; wait 1 35-40 S");
}

}  // namespace
}  // namespace perf2x
