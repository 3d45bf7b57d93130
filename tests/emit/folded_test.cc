// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "converter/emit/emitters.h"
#include "tests/support/small_trace.h"

namespace perf2x {
namespace {

class FoldedTest : public SmallTrace {};

TEST_F(FoldedTest, CountsSamplesOfTheFirstSampledEvent) {
  AddEvent("dummy", "count", EventKind::kDummy);
  const EventId clock = AddEvent("cpu-clock");
  const EventId faults = AddEvent("page-faults");
  const ThreadId main = AddThread(1, 1, "app", "app");
  const ThreadId odd = AddThread(1, 2, "app", "a;b");
  ASSERT_TRUE(Begin(FoldedEmitterInfo()).ok());
  Add(clock, main, Stack({"memcpy", "sort", "main"}), 1000);
  Add(clock, main, Stack({"memcpy", "sort", "main"}, 1), 1000);
  Add(clock, odd, Stack({"?"}), 1000);
  Add(faults, main, Stack({"sys_read"}), 1);
  ASSERT_TRUE(Finish().ok());
  EXPECT_EQ(output(),
            "a:b;[lib.so] 1\n"
            "app;main;main;sort(int*);memcpy 2\n");
}

TEST_F(FoldedTest, TheEventThatWasNamedFirstIsWritten) {
  const EventId clock = AddEvent("cpu-clock");
  const EventId faults = AddEvent("page-faults");
  tables_.events[clock].selection_rank = 2;
  tables_.events[faults].selection_rank = 1;
  const ThreadId main = AddThread(1, 1, "app", "app");
  ASSERT_TRUE(Begin(FoldedEmitterInfo()).ok());
  Add(clock, main, Stack({"memcpy", "main"}), 1000);
  Add(clock, main, Stack({"memcpy", "main"}), 1000);
  Add(faults, main, Stack({"sys_read"}), 1);
  ASSERT_TRUE(Finish().ok());
  EXPECT_EQ(output(), "app;sys_read 1\n");
  ASSERT_EQ(diagnostics_.entries().size(), 1u);
  const auto& [what, entry] = *diagnostics_.entries().begin();
  EXPECT_EQ(what,
            "folded stacks are of one event, here page-faults; --event chooses "
            "another: cpu-clock");
  EXPECT_EQ(entry.count, 2u);
}

TEST_F(FoldedTest, EventsOfOneNameAreNamedAsTheOptionNamesThem) {
  const EventId first = AddEvent("cpu"), second = AddEvent("cpu");
  const ThreadId main = AddThread(1, 1, "app", "app");
  ASSERT_TRUE(Begin(FoldedEmitterInfo()).ok());
  Add(first, main, Stack({"main"}), 1);
  Add(second, main, Stack({"main"}), 1);
  ASSERT_TRUE(Finish().ok());
  ASSERT_EQ(diagnostics_.entries().size(), 1u);
  EXPECT_EQ(diagnostics_.entries().begin()->first,
            "folded stacks are of one event, here cpu; --event chooses "
            "another: cpu#2");
}

TEST_F(FoldedTest, OneLineSaysOfAllOtherEvents) {
  std::vector<EventId> events;
  for (const char* name : {"a", "b", "c", "d", "e", "f", "unused"}) {
    events.push_back(AddEvent(name));
  }
  const ThreadId main = AddThread(1, 1, "app", "app");
  ASSERT_TRUE(Begin(FoldedEmitterInfo()).ok());
  for (size_t i = 0; i < 6; ++i) {
    Add(events[i], main, Stack({"main"}), 1);
  }
  ASSERT_TRUE(Finish().ok());
  ASSERT_EQ(diagnostics_.entries().size(), 1u);
  const auto& [what, entry] = *diagnostics_.entries().begin();
  EXPECT_EQ(what,
            "folded stacks are of one event, here a; --event chooses another: "
            "b, c, d, e or 1 more");
  EXPECT_EQ(entry.count, 5u);
}

TEST_F(FoldedTest, SleepsCountByTheirTime) {
  const EventId sleeps =
      AddEvent("offcpu-time", "nanoseconds", EventKind::kOffCpu);
  const ThreadId main = AddThread(1, 1, "app", "app");
  ASSERT_TRUE(Begin(FoldedEmitterInfo()).ok());
  Add(sleeps, main, Stack({"sys_read"}), 500);
  Add(sleeps, main, Stack({"sys_read"}), 70);
  ASSERT_TRUE(Finish().ok());
  EXPECT_EQ(output(), "app;sys_read 570\n");
}

// Profiles have one sample for many; derived events, such as the time of waits,
// come before all others.
TEST_F(FoldedTest, CountsAreOfSamplesThatStandForMany) {
  const EventId clock = AddEvent("cpu-clock");
  const ThreadId main = AddThread(1, 1, "app", "app");
  ASSERT_TRUE(Begin(FoldedEmitterInfo()).ok());
  for (const uint64_t count : {3, 1}) {
    Sample sample;
    sample.event = clock;
    sample.thread = main;
    sample.stack = Stack({"main"});
    sample.period = 1000;
    sample.count = count;
    ASSERT_TRUE(emitter().OnSample(sample).ok());
  }
  ASSERT_TRUE(Finish().ok());
  EXPECT_EQ(output(), "app;main 4\n");
}

TEST_F(FoldedTest, DerivedEventsComeFirstAndCountTheirPeriods) {
  const EventId clock = AddEvent("cpu-clock");
  const EventId wall = AddEvent("wall-clock", "nanoseconds");
  tables_.events[wall].derived = true;
  const ThreadId main = AddThread(1, 1, "app", "app");
  ASSERT_TRUE(Begin(FoldedEmitterInfo()).ok());
  Add(clock, main, Stack({"main"}), 1000);
  Add(wall, main, Stack({"main"}), 500);
  Add(wall, main, Stack({"main"}), 70);
  ASSERT_TRUE(Finish().ok());
  EXPECT_EQ(output(), "app;main 570\n");
}

// Streams may describe events after the first sample.
TEST_F(FoldedTest, EventsMayBeAddedLate) {
  AddEvent("dummy", "count", EventKind::kDummy);
  const ThreadId main = AddThread(1, 1, "app", "app");
  ASSERT_TRUE(Begin(FoldedEmitterInfo()).ok());
  EventId late = 0;
  for (int i = 0; i < 1000; ++i) late = AddEvent("late");
  Add(late, main, Stack({"sys_read"}), 0x4141414141414141);
  ASSERT_TRUE(Finish().ok());
  EXPECT_EQ(output(), "app;sys_read 1\n");
}

// Where the memory ends, whether that of frames, of names or of lines, the
// stacks before are written.
TEST_F(FoldedTest, StacksThatFitAreWritten) {
  const EventId cycles = AddEvent("cycles");
  const ThreadId main = AddThread(1, 1, "app", "app");
  Budget& budget = Limit({{{8 << 20, 0}, {1 << 30, 0}, {1 << 30, 0}}});
  ASSERT_TRUE(Begin(FoldedEmitterInfo()).ok());
  std::vector<std::string> frames(10'001, "main");
  constexpr uint64_t kStacks = 200;
  for (uint64_t i = 0; i < kStacks; ++i) {
    frames.back() = absl::StrCat("root", i);
    AddFrame(frames.back(), lib_, i);
    Add(cycles, main, Stack(frames));
  }
  budget.ReleaseReserve();
  ASSERT_TRUE(Finish().ok());
  // The roots have no symbols, so that all lines are one.
  uint64_t count = 0;
  ASSERT_TRUE(absl::StartsWith(output(), "app;[lib.so];main;main;"));
  ASSERT_TRUE(
      absl::SimpleAtoi(output().substr(output().rfind(' ') + 1), &count));
  EXPECT_GT(count, 20u);
  ASSERT_EQ(diagnostics_.entries().size(), 1u);
  EXPECT_EQ(diagnostics_.entries().begin()->second.count + count, kStacks);
}

TEST_F(FoldedTest, LinesWhoseNamesFitAreWritten) {
  const EventId cycles = AddEvent("cycles");
  const ThreadId main = AddThread(1, 1, "app", "app");
  Budget& budget = Limit({{{1 << 20, 0}, {1 << 30, 0}, {1 << 30, 0}}});
  ASSERT_TRUE(Begin(FoldedEmitterInfo()).ok());
  constexpr uint64_t kStacks = 20;
  for (uint64_t i = 0; i < kStacks; ++i) {
    std::vector<std::string> frames(1'001, "memcpy");
    for (size_t bit = 0; bit < 5; ++bit) {
      if ((i >> bit & 1) != 0) frames[1'000 - bit] = "main";
    }
    Add(cycles, main, Stack(frames));
  }
  budget.ReleaseReserve();
  ASSERT_TRUE(Finish().ok());
  const auto lines = std::count(output().begin(), output().end(), '\n');
  EXPECT_GT(lines, 2);
  EXPECT_LT(lines, 20);
  ASSERT_EQ(diagnostics_.entries().size(), 1u);
  EXPECT_EQ(diagnostics_.entries().begin()->second.count,
            kStacks - static_cast<uint64_t>(lines));
}

TEST_F(FoldedTest, NoSamplesGiveNoLines) {
  AddEvent("cycles");
  ASSERT_TRUE(Begin(FoldedEmitterInfo()).ok());
  ASSERT_TRUE(Finish().ok());
  EXPECT_EQ(output(), "");
}

}  // namespace
}  // namespace perf2x
