// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>

#include "tests/emit/chrome/chrome_fixture.h"

namespace perf2x {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(ChromeTest, ShowsStatesCpusWakeupsAndMigrations) {
  const ThreadId idle = AddThread(0, 0, "swapper");
  const ThreadId a = AddThread(10, 10, "a"), b = AddThread(10, 11, "b");
  ASSERT_TRUE(Start().ok());
  Out(1 * kMs, idle, 0, "R");
  In(1 * kMs, a, 0);
  Out(2 * kMs, b, 1, "D");
  In(2 * kMs, idle, 1);
  Wake(3 * kMs, b, 0);
  Wake(3 * kMs + 1, b, 0);  // woken already
  Out(4 * kMs, idle, 1, "R");
  In(4 * kMs, b, 1);
  Out(5 * kMs, a, 0, "R+");
  In(5 * kMs, idle, 0);
  Out(6 * kMs, b, 1, "S");
  In(6 * kMs, a, 1);
  Wake(7 * kMs, b, 0);  // by an interrupt on an idle CPU: no arrow
  ExpectGolden("chrome_sched");
}

TEST_F(ChromeTest, HasNoArrowsFromOrToWhatIsNotShown) {
  const ThreadId a = AddThread(10, 10, "a"), b = AddThread(10, 11, "b");
  ASSERT_TRUE(Start().ok());
  In(1 * kMs, a, 0);
  Out(2 * kMs, b, 1, "S");
  Wake(3 * kMs, b, 0);
  In(4 * kMs, b, 1);
  Out(5 * kMs, b, 1, "S");
  Wake(6 * kMs, b, 0);
  In(7 * kMs, b, 1);  // to the end of the recording
  Out(8 * kMs, a, 0, "S");
  const std::string json = Finish();
  EXPECT_THAT(json,
              HasSubstr("\"wakeup\",\"ph\":\"s\",\"cat\":\"sched\",\"pid\":"
                        "10000000,\"tid\":10000000,\"id\":1,\"ts\":2000.000"));
  EXPECT_THAT(json, Not(HasSubstr("\"id\":2,")));
}

TEST_F(ChromeTest, EndsRunningAtExitWhereNoTracepointDoes) {
  const ThreadId a = AddThread(10, 10, "a");
  ASSERT_TRUE(Start().ok());
  In(1 * kMs, a, 0);
  Out(2 * kMs, a, 0, "", /*preempted=*/true);
  In(3 * kMs, a, 0);
  ASSERT_TRUE(emitter_->OnExit({7 * kMs, a}).ok());
  const std::string json = Finish();
  EXPECT_THAT(json, HasSubstr("\"R+\",\"ph\":\"T\""));
  EXPECT_THAT(json, HasSubstr("\"ts\":2000.000,\"dur\":4000.000"));
}

// As `perf record -a --switch-events` has it: the switch-out after the exit is
// the last that is heard of a thread.
TEST_F(ChromeTest, ThreadRunsUntilItsLastSwitchOutAndThenIsGone) {
  const ThreadId a = AddThread(10, 10, "a"), b = AddThread(11, 11, "b");
  ASSERT_TRUE(Start().ok());
  In(1 * kMs, a, 0);
  ASSERT_TRUE(emitter_->OnExit({2 * kMs, a}).ok());
  Out(3 * kMs, a, 0, "", /*preempted=*/true);
  In(4 * kMs, a, 0);
  Out(6 * kMs, a, 0, "");
  In(6 * kMs, b, 0);
  Out(20 * kMs, b, 0, "");
  const std::string json = Finish();
  EXPECT_EQ(StatesOf(10, json),
            "0+2000 Running, 2000+1000 R+, 3000+2000 Running");
  EXPECT_EQ(StatesOf(11, json), "5000+14000 Running, 19000+0 S");
}

// Of threads that are reaped at once, the kernel no longer knows the number.
TEST_F(ChromeTest, LastSwitchOutOfAThreadMayBeOfNoNumber) {
  const ThreadId a = AddThread(10, 12, "a"), gone = AddThread(-1, -1, "?");
  const ThreadId b = AddThread(10, 13, "b");
  ASSERT_TRUE(Start().ok());
  In(1 * kMs, a, 0);
  In(1 * kMs, b, 1);
  ASSERT_TRUE(emitter_->OnExit({2 * kMs, a}).ok());
  Out(3 * kMs, gone, 0, "");
  Out(9 * kMs, b, 1, "");
  const std::string json = Finish();
  EXPECT_EQ(StatesOf(12, json), "0+2000 Running");
  EXPECT_EQ(StatesOf(30000000, json), "");
  EXPECT_EQ(StatesOf(13, json), "0+8000 Running, 8000+0 S");
}

TEST_F(ChromeTest, NumberOfAThreadThatIsGoneIsUsedAgain) {
  const ThreadId parent = AddThread(9, 9, "sh"), a = AddThread(10, 10, "a");
  ASSERT_TRUE(Start().ok());
  In(1 * kMs, a, 0);
  ASSERT_TRUE(emitter_->OnExit({2 * kMs, a}).ok());
  Out(3 * kMs, a, 0, "");
  ASSERT_TRUE(emitter_->OnFork({5 * kMs, parent, a}).ok());
  In(6 * kMs, a, 0);
  Out(7 * kMs, a, 0, "");
  In(8 * kMs, a, 0);
  Out(9 * kMs, a, 0, "");
  EXPECT_EQ(StatesOf(10, Finish()),
            "0+2000 Running, 5000+1000 Running, 6000+1000 S, "
            "7000+1000 Running, 8000+0 S");
}

// The main thread exits, and then another thread of the process calls exec.
TEST_F(ChromeTest, AThreadThatCallsExecGoesOnAsTheMainThread) {
  const ThreadId a = AddThread(10, 10, "a");
  ASSERT_TRUE(Start().ok());
  In(1 * kMs, a, 0);
  ASSERT_TRUE(emitter_->OnExit({2 * kMs, a}).ok());
  ASSERT_TRUE(emitter_->OnExec({3 * kMs, a}).ok());
  Out(4 * kMs, a, 1, "");
  In(6 * kMs, a, 1);
  Out(7 * kMs, a, 1, "");
  EXPECT_EQ(StatesOf(10, Finish()),
            "0+1000 Running, 3000+2000 S, 5000+1000 Running, 6000+0 S");
}

// Also where the recording has no fork that says so.
TEST_F(ChromeTest, AThreadThatIsGoneDoesNotSleepUntilItsNumberIsUsedAgain) {
  const ThreadId a = AddThread(10, 10, "a");
  ASSERT_TRUE(Start().ok());
  In(1 * kMs, a, 0);
  ASSERT_TRUE(emitter_->OnExit({2 * kMs, a}).ok());
  Out(3 * kMs, a, 0, "");
  In(6 * kMs, a, 0);
  Out(7 * kMs, a, 0, "");
  EXPECT_EQ(StatesOf(10, Finish()),
            "0+2000 Running, 5000+1000 Running, 6000+0 S");
}

TEST_F(ChromeTest, DoesNotKnowWhoRanWhereRecordsWereLost) {
  const ThreadId a = AddThread(10, 10, "a"), b = AddThread(10, 11, "b");
  ASSERT_TRUE(Start().ok());
  In(1 * kMs, a, 0);
  Out(2 * kMs, b, 1, "S");
  ASSERT_TRUE(emitter_->OnLost({3 * kMs, 5, false, 0}).ok());
  Out(4 * kMs, a, 0, "S");
  In(5 * kMs, b, 1);
  const std::string json = Finish();
  EXPECT_THAT(json, Not(HasSubstr("Running")));
  // b may have run between its two states.
  EXPECT_THAT(json, Not(HasSubstr("\"ts\":1000.000")));
}

TEST_F(ChromeTest, SaysWhatAThreadWaitedIn) {
  Dso kernel;
  kernel.kind = DsoKind::kKernel;
  kernel.name = "[kernel.kallsyms]";
  const DsoId program = std::exchange(file_, tables_.AddDso(kernel));
  const StackId futex = Stack({"do_futex", "futex_wait_queue", "schedule",
                               "__schedule", "__traceiter_sched_switch"});
  file_ = program;
  const ThreadId a = AddThread(10, 10, "a");
  ASSERT_TRUE(Start().ok());
  Out(1 * kMs, a, 0, "S", /*preempted=*/false, futex);
  In(2 * kMs, a, 0);
  Out(3 * kMs, a, 0, "R+", /*preempted=*/true, futex);  // it did not wait
  In(4 * kMs, a, 0);
  const std::string json = Finish();
  EXPECT_THAT(json, HasSubstr("\"step\":\"S\","
                              "\"blocked_function\":\"futex_wait_queue\""));
  EXPECT_THAT(json, HasSubstr("{\"step\":\"R+\"}"));
}

TEST_F(ChromeTest, DoesNotKnowWhoRanBetweenSampledSwitches) {
  const ThreadId a = AddThread(10, 10, "a"), b = AddThread(10, 11, "b");
  ASSERT_TRUE(Start().ok());
  In(1 * kMs, a, 0);
  const Switch out = {.time = 5 * kMs,
                      .thread = a,
                      .cpu = 0,
                      .out = true,
                      .state = "S",
                      .after_gap = true};
  ASSERT_TRUE(emitter_->OnSwitch(out).ok());
  In(5 * kMs, b, 0);
  Out(6 * kMs, b, 0, "S");
  const std::string json = Finish();
  EXPECT_THAT(json, HasSubstr("\"ts\":4000.000,\"dur\":1000.000,"
                              "\"args\":{\"step\":\"Running\",\"cpu\":0}"));
  EXPECT_THAT(json, Not(HasSubstr("\"ts\":0.000,\"dur\"")));
}

// The waker's run on CPU 0 was shown no further than its lost switch-out.
TEST_F(ChromeTest, HasNoArrowsFromRunsWhoseEndWasLost) {
  const ThreadId a = AddThread(10, 10, "a"), b = AddThread(10, 11, "b");
  ASSERT_TRUE(Start().ok());
  In(1 * kMs, a, 0);
  Out(2 * kMs, b, 1, "S");
  Wake(3 * kMs, b, 0);
  In(4 * kMs, b, 1);
  ASSERT_TRUE(emitter_->OnLost({5 * kMs, 1, false, 0}).ok());
  Out(6 * kMs, b, 1, "S");
  EXPECT_THAT(Finish(), Not(HasSubstr("\"wakeup\"")));
}

TEST_F(ChromeTest, HasNoArrowsFromRunsThatAnotherThreadReplaced) {
  const ThreadId a = AddThread(10, 10, "a"), b = AddThread(10, 11, "b");
  const ThreadId c = AddThread(10, 12, "c");
  ASSERT_TRUE(Start().ok());
  In(1 * kMs, a, 0);
  Out(2 * kMs, b, 1, "S");
  Wake(3 * kMs, b, 0);
  In(4 * kMs, c, 0);  // without a switch-out of a
  In(5 * kMs, b, 1);
  Out(6 * kMs, c, 0, "S");
  Out(7 * kMs, b, 1, "S");
  EXPECT_THAT(Finish(), Not(HasSubstr("\"wakeup\"")));
}

// The run from which an arrow starts need not be the last on its CPU.
TEST_F(ChromeTest, HasArrowsFromRunsBeforeTheLastOfTheirCpu) {
  const ThreadId a = AddThread(10, 10, "a"), b = AddThread(10, 11, "b");
  const ThreadId c = AddThread(10, 12, "c");
  ASSERT_TRUE(Start().ok());
  In(1 * kMs, a, 0);
  Out(2 * kMs, b, 1, "S");
  Wake(3 * kMs, b, 0);
  In(4 * kMs, b, 1);
  Out(5 * kMs, a, 0, "S");
  In(5 * kMs, c, 0);
  Out(6 * kMs, c, 0, "S");
  In(6 * kMs, c, 0);
  ASSERT_TRUE(emitter_->OnLost({7 * kMs, 1, false, 0}).ok());
  Out(8 * kMs, b, 1, "S");
  EXPECT_THAT(Finish(),
              HasSubstr("\"wakeup\",\"ph\":\"s\",\"cat\":\"sched\",\"pid\":"
                        "10000000,\"tid\":10000000,\"id\":1,\"ts\":2000.000"));
}

// Of records that come late, the time may lie before the state that they end.
TEST_F(ChromeTest, StatesThatLateRecordsEndHaveNoDuration) {
  const ThreadId a = AddThread(10, 10, "a"), b = AddThread(10, 11, "b");
  ASSERT_TRUE(Start().ok());
  In(1 * kMs, b, 1);
  In(100 * kMs, a, 0);
  Out(50 * kMs, a, 0, "S");
  Out(200 * kMs, b, 1, "S");
  Wake(150 * kMs, b, 0);
  const std::string json = Finish();
  EXPECT_EQ(StatesOf(10, json), "99000+0 Running, 49000+150000 S");
  EXPECT_EQ(StatesOf(11, json), "0+199000 Running, 199000+0 S, 149000+50000 R");
}

// A number that no kernel gives a CPU: rows of larger ones are shared.
TEST_F(ChromeTest, RowsOfImpossibleCpusHaveNumbers) {
  const ThreadId a = AddThread(10, 10, "a");
  ASSERT_TRUE(Start().ok());
  const int32_t most = std::numeric_limits<int32_t>::max();
  In(1 * kMs, a, most);
  Out(2 * kMs, a, most, "S");
  ASSERT_TRUE(emitter_->OnLost({3 * kMs, 1, false, most - 1}).ok());
  const std::string json = Finish();
  EXPECT_THAT(json, Not(HasSubstr("\"tid\":-")));
  EXPECT_THAT(json, HasSubstr("\"pid\":10000000,\"tid\":19999999"));
}

// Neither need show anything: a switch of the idle thread, and a throttle that
// does not end.
TEST_F(ChromeTest, CpusAndOpenThrottlesAreChargedToTheBudget) {
  const Budget& budget = Limit();
  const ThreadId idle = AddThread(0, 0, "swapper");
  ASSERT_TRUE(Start().ok());
  for (int32_t cpu = 0; cpu < 1000; ++cpu) In(kMs, idle, cpu);
  const uint64_t of_cpus = budget.used(Budget::kMemory);
  EXPECT_GT(of_cpus, 1000u * 100);
  Throttle throttle;
  throttle.time = kMs;
  for (throttle.cpu = 0; throttle.cpu < 1000; ++throttle.cpu) {
    ASSERT_TRUE(emitter_->OnThrottle(throttle).ok());
  }
  EXPECT_GT(budget.used(Budget::kMemory), of_cpus + 1000 * 50);
}

}  // namespace
}  // namespace perf2x
