// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/emit/chrome/chrome_fixture.h"

namespace perf2x {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(ChromeTest, NamesAProcessOnceByItsLastName) {
  const ThreadId before = AddThread(10, 10, "sh");
  const ThreadId after = AddThread(10, 10, "ls");
  tables_.threads[after].process_name = tables_.strings.Intern("ls");
  ASSERT_TRUE(Start().ok());
  ASSERT_TRUE(emitter_->OnThread(before, 1 * kMs).ok());
  ASSERT_TRUE(emitter_->OnThread(after, 2 * kMs).ok());
  const std::string json = Finish();
  const size_t at = json.find("\"process_name\"");
  ASSERT_NE(at, json.npos);
  EXPECT_EQ(json.find("\"process_name\"", at + 1), json.npos);
  EXPECT_EQ(json.substr(at).find("{\"name\":\"ls\"}"),
            json.substr(at).find("{\"name\""));
}

TEST_F(ChromeTest, ShowsWhatElseHappens) {
  const EventId clock = AddClock(), other = AddEvent({.name = "page-faults"});
  const ThreadId a = AddThread(10, 10, "a");
  const ThreadId renamed = AddThread(10, 10, "worker");
  const ThreadId child = AddThread(12, 12, "a");
  ASSERT_TRUE(Start().ok());
  ASSERT_TRUE(emitter_->OnThread(a, std::nullopt).ok());
  ASSERT_TRUE(emitter_->OnThread(renamed, 1 * kMs).ok());
  ASSERT_TRUE(emitter_->OnFork({2 * kMs, renamed, child}).ok());
  At(3 * kMs, renamed, other, Stack({"main", "touch"}));
  ASSERT_TRUE(emitter_->OnThrottle({4 * kMs, clock, 1, true}).ok());
  ASSERT_TRUE(emitter_->OnThrottle({5 * kMs, clock, 1, false}).ok());
  ASSERT_TRUE(emitter_->OnLost({6 * kMs, 17, false, 1}).ok());
  ASSERT_TRUE(emitter_->OnLost({6 * kMs, 3, true, -1}).ok());
  ASSERT_TRUE(emitter_->OnExec({6 * kMs, child}).ok());
  ASSERT_TRUE(emitter_->OnAuxGap({7 * kMs, a, 1, "truncated"}).ok());
  ASSERT_TRUE(emitter_->OnExit({9 * kMs, child}).ok());
  ExpectGolden("chrome_rest");
}

TEST_F(ChromeTest, ShowsLossesOfNoKnownCpuOnTheThreadThatRan) {
  const EventId clock = AddClock();
  const ThreadId a = AddThread(10, 10, "a"), b = AddThread(10, 11, "b");
  ASSERT_TRUE(Start().ok());
  ASSERT_TRUE(emitter_->OnThrottle({1 * kMs, clock, -1, true, a}).ok());
  ASSERT_TRUE(emitter_->OnThrottle({2 * kMs, clock, -1, true, b}).ok());
  ASSERT_TRUE(emitter_->OnThrottle({3 * kMs, clock, -1, false, b}).ok());
  ASSERT_TRUE(emitter_->OnThrottle({4 * kMs, clock, -1, false, a}).ok());
  ASSERT_TRUE(emitter_->OnLost({5 * kMs, 17, false, -1, b}).ok());
  const std::string json = Finish();
  EXPECT_THAT(json, HasSubstr("\"pid\":10,\"tid\":11,\"id\":\"0xb\","
                              "\"ts\":1000.000,"));
  EXPECT_THAT(json, HasSubstr("\"pid\":10,\"tid\":10,\"id\":\"0xa\","
                              "\"ts\":0.000,"));
  EXPECT_THAT(json, HasSubstr("\"lost records\",\"ph\":\"i\",\"cat\":\"loss\","
                              "\"pid\":10,\"tid\":11"));
  EXPECT_THAT(json, Not(HasSubstr("CPU")));
}

TEST_F(ChromeTest, ShowsCountersForAsLongAsTheyCounted) {
  const EventId energy = AddEvent({.name = "power/energy-pkg/"});
  tables_.events[energy].counter_unit = "Joules";
  const EventId faults = AddEvent({.name = "page-faults"});
  const ThreadId a = AddThread(10, 10, "a");
  ASSERT_TRUE(Start().ok());
  const auto count = [this](const Counter& counter) {
    ASSERT_TRUE(emitter_->OnCounter(counter).ok());
  };
  count({0, 5 * kMs, energy, kNoId, 2, 1.5});
  count({5 * kMs, 9 * kMs, energy, kNoId, 2, 0.25});
  // Since when is not known: from the start on. Then with a gap.
  count({std::nullopt, 6 * kMs, faults, a, -1, 50});
  count({7 * kMs, 8 * kMs, faults, a, -1, 3});
  ExpectGolden("chrome_counters");
}

TEST_F(ChromeTest, TracksOfCountersAreChargedToTheBudget) {
  const Budget& budget = Limit();
  const EventId faults = AddEvent({.name = "page-faults"});
  ASSERT_TRUE(Start().ok());
  for (int32_t cpu = 0; cpu < 1000; ++cpu) {
    ASSERT_TRUE(
        emitter_->OnCounter({std::nullopt, kMs, faults, kNoId, cpu, 1}).ok());
  }
  EXPECT_GT(budget.used(Budget::kMemory), 1000u * 100);
}

TEST_F(ChromeTest, KeepsTheClockOnRequest) {
  options_["absolute-time"] = "true";
  options_["samples"] = "instants";
  const EventId clock = AddClock();
  const ThreadId a = AddThread(10, 10, "a");
  ASSERT_TRUE(Start().ok());
  At(1'234'567'890'123'456, a, clock, Stack({"main"}));
  const std::string json = Finish();
  EXPECT_THAT(json, HasSubstr("\"ts\":1234567890123.456"));
  EXPECT_THAT(json, HasSubstr("\"start_ns\":\"0\""));
}

TEST_F(ChromeTest, RefusesWhatItDoesNotKnow) {
  AddClock();
  options_["samples"] = "bars";
  EXPECT_THAT(std::string(Start().message()), HasSubstr("bars"));
}

}  // namespace
}  // namespace perf2x
