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

TEST_F(ChromeTest, NestsSlicesAndClosesThemAtGapsAndSwitches) {
  const EventId clock = AddClock();
  const ThreadId a = AddThread(10, 10, "a"), b = AddThread(10, 11, "b");
  ASSERT_TRUE(Start().ok());
  const StackId abc = Stack({"main", "run", "leaf"});
  const StackId abd = Stack({"main", "run", "other"});
  const StackId a_only = Stack({"main"});
  At(100 * kMs, a, clock, abc);
  At(101 * kMs, a, clock, abc);
  At(101 * kMs + 500, b, clock, a_only);
  At(102 * kMs, a, clock, abd);
  At(103 * kMs, a, clock, a_only);
  // Ten milliseconds of silence are not a slice of ten milliseconds.
  At(113 * kMs, a, clock, a_only);
  Out(113 * kMs + 250'125, a, 1, "S");
  ExpectGolden("chrome_slices");
}

TEST_F(ChromeTest, NestsSlicesThatEndWithTheSampleThatEndedOthers) {
  const EventId clock = AddClock();
  const ThreadId a = AddThread(10, 10, "a");
  ASSERT_TRUE(Start().ok());
  At(1 * kMs, a, clock, Stack({"main", "run", "leaf"}));
  At(2 * kMs, a, clock, Stack({"main", "run", "other"}));
  const std::string json = Finish();
  // Each begins within the one around it: chrome://tracing nests no others.
  EXPECT_THAT(json, HasSubstr("\"leaf\",\"ph\":\"X\",\"pid\":10,\"tid\":10,"
                              "\"cat\":\"cpu-clock,/bin/app\","
                              "\"ts\":0.002,\"dur\":999.997"));
  // Three slices end behind it, each within the next.
  EXPECT_THAT(json, HasSubstr("\"ts\":0.001,\"dur\":1000.00"));
  EXPECT_THAT(json, HasSubstr("\"ts\":0.000,\"dur\":1000.00"));
}

// speedscope takes args for a part of the name.
TEST_F(ChromeTest, SlicesHaveNoArgs) {
  const EventId clock = AddClock();
  const ThreadId a = AddThread(10, 10, "a");
  ASSERT_TRUE(Start().ok());
  In(1 * kMs, a, 0);
  At(2 * kMs, a, clock, Stack({"main"}));
  Out(3 * kMs, a, 0, "");
  const std::string json = Finish();
  int slices = 0;
  for (absl::string_view line : absl::StrSplit(json, '\n')) {
    if (!absl::StrContains(line, "\"ph\":\"X\"")) continue;
    ++slices;
    EXPECT_FALSE(absl::StrContains(line, "args")) << line;
  }
  EXPECT_EQ(slices, 2);
  EXPECT_THAT(json, HasSubstr("{\"name\":\"main\",\"ph\":\"X\",\"pid\":10,"
                              "\"tid\":10,\"cat\":\"cpu-clock,/bin/app\","
                              "\"ts\":"));
  EXPECT_THAT(json, HasSubstr("{\"name\":\"a 10\",\"ph\":\"X\","));
}

TEST_F(ChromeTest, ShowsTracepointsWithTypedArgsAndPairsSyscalls) {
  const EventId enter = AddEvent(TracepointEvent("raw_syscalls", "sys_enter"));
  const EventId exit = AddEvent(TracepointEvent("raw_syscalls", "sys_exit"));
  const EventId probe = AddEvent(TracepointEvent("probe", "f"));
  const ThreadId a = AddThread(10, 10, "a");
  ASSERT_TRUE(Start().ok());
  const Field enter_fields[] = {{"id", int64_t{0}}, {"args", "[0x3, 0x7ff0]"}};
  const Field exit_fields[] = {{"id", int64_t{0}}, {"ret", int64_t{-11}}};
  const Field probe_fields[] = {{"__probe_ip", Field::Hex{0xffff8000}},
                                {"n", uint64_t{5}},
                                {"max", ~uint64_t{0}},
                                {"x", 0.5},
                                {"s", "caf\xc3\xa9 \xff\x01\"\\"}};
  Tracepoint(1 * kMs, a, enter, enter_fields);
  Tracepoint(1 * kMs + 10, a, probe, probe_fields);
  Tracepoint(2 * kMs, a, exit, exit_fields);
  Tracepoint(3 * kMs, a, exit, exit_fields);  // without its beginning
  ExpectGolden("chrome_tracepoints");
}

TEST_F(ChromeTest, AFieldCalledStackIsNotTheStack) {
  const EventId event = AddEvent(TracepointEvent("synthetic", "block"));
  const ThreadId a = AddThread(10, 10, "a");
  ASSERT_TRUE(Start().ok());
  const Field fields[] = {{"stack", uint64_t{5}}, {"stack_", uint64_t{6}}};
  for (const size_t count : {1, 2}) {
    Sample sample;
    sample.time = kMs * count;
    sample.thread = a;
    sample.event = event;
    sample.stack = Stack({"main", "run"});
    sample.tracepoint = absl::MakeConstSpan(fields, count);
    ASSERT_TRUE(emitter_->OnSample(sample).ok());
  }
  const std::string json = Finish();
  EXPECT_THAT(json, HasSubstr(R"("stack":5,"stack_":["run","main"]})"));
  EXPECT_THAT(json,
              HasSubstr(R"("stack":5,"stack_":6,"stack__":["run","main"]})"));
}

TEST_F(ChromeTest, ASystemCallWhoseNumberIsTextIsNoSlice) {
  const EventId enter = AddEvent(TracepointEvent("raw_syscalls", "sys_enter"));
  const EventId exit = AddEvent(TracepointEvent("raw_syscalls", "sys_exit"));
  const ThreadId a = AddThread(10, 10, "a");
  ASSERT_TRUE(Start().ok());
  const Field fields[] = {{"id", "x"}};
  Tracepoint(1 * kMs, a, enter, fields);
  Tracepoint(2 * kMs, a, exit, fields);
  EXPECT_THAT(Finish(), Not(HasSubstr("\"cat\":\"syscall\"")));
}

TEST_F(ChromeTest, WritesProfilesWithIdleTime) {
  options_["samples"] = "profile";
  const EventId clock = AddClock();
  const ThreadId a = AddThread(10, 10, "a");
  ASSERT_TRUE(Start().ok());
  const StackId abc = Stack({"main", "run"});
  At(1 * kMs, a, clock, abc);
  At(2 * kMs, a, clock, Stack({"main"}));
  At(12 * kMs, a, clock, abc);
  ExpectGolden("chrome_profile");
}

TEST_F(ChromeTest, ShowsWhichCgroupAThreadIsIn) {
  const EventId clock = AddClock();
  const ThreadId a = AddThread(10, 10, "a");
  ASSERT_TRUE(Start().ok());
  Sample sample;
  sample.event = clock;
  sample.thread = a;
  sample.stack = Stack({"main"});
  for (int i = 1; i <= 3; ++i) {
    const Field cgroup[] = {{"cgroup", i < 3 ? "/a" : "/b"}};
    sample.time = i * kMs;
    sample.fields = cgroup;
    ASSERT_TRUE(emitter_->OnSample(sample).ok());
  }
  const std::string json = Finish();
  EXPECT_THAT(json, HasSubstr("\"ts\":0.000,\"args\":{\"path\":\"/a\"}"));
  EXPECT_THAT(json, HasSubstr("\"ts\":2000.000,\"args\":{\"path\":\"/b\"}"));
  EXPECT_THAT(json, Not(HasSubstr("\"ts\":1000.000,\"args\":{\"path\"")));
}

TEST_F(ChromeTest, PlacesOffCpuTimeWhereItWasOrOnARowOfItsOwn) {
  const EventId clock = AddClock();
  const EventId off = AddEvent({.name = "offcpu-time",
                                .kind = EventKind::kOffCpu,
                                .unit = "nanoseconds"});
  const ThreadId a = AddThread(10, 10, "a");
  ASSERT_TRUE(Start().ok());
  const StackId sleep = Stack({"main", "sleep"});
  At(1 * kMs, a, clock, Stack({"main"}));
  Sample sample;
  sample.event = off;
  sample.thread = a;
  sample.stack = sleep;
  sample.time = 9 * kMs;
  sample.period = 7 * kMs;
  ASSERT_TRUE(emitter_->OnSample(sample).ok());
  sample.time.reset();  // a sum
  ASSERT_TRUE(emitter_->OnSample(sample).ok());
  ASSERT_TRUE(emitter_->OnSample(sample).ok());
  ExpectGolden("chrome_offcpu");
}

TEST_F(ChromeTest, LaysOutSamplesWithoutTimesInTheirOrder) {
  const EventId clock = AddClock();
  const ThreadId a = AddThread(10, 10, "a");
  ASSERT_TRUE(Start().ok());
  Sample sample;
  sample.event = clock;
  sample.thread = a;
  sample.period = kMs;
  sample.stack = Stack({"one"});
  ASSERT_TRUE(emitter_->OnSample(sample).ok());
  sample.stack = Stack({"two"});
  ASSERT_TRUE(emitter_->OnSample(sample).ok());
  const std::string json = Finish();
  EXPECT_THAT(json, HasSubstr("\"ts\":0.000,\"dur\":999.999"));
  EXPECT_THAT(json, HasSubstr("\"ts\":1000.000,\"dur\":999.999"));
}

TEST_F(ChromeTest, LaysOutSamplesOfAllEventsWithoutTimesInTheirOrder) {
  const EventId clock = AddClock();
  const EventId loads = AddEvent({.name = "loads"}),
                stores = AddEvent({.name = "stores"});
  const ThreadId a = AddThread(10, 10, "a"), b = AddThread(10, 11, "b");
  ASSERT_TRUE(Start().ok());
  Sample sample;
  sample.thread = a;
  sample.period = kMs;
  sample.stack = Stack({"main"});
  for (const EventId event : {loads, stores, clock, loads}) {
    sample.event = event;
    ASSERT_TRUE(emitter_->OnSample(sample).ok());
  }
  sample.thread = b;
  ASSERT_TRUE(emitter_->OnSample(sample).ok());
  // Of the driving event, and with more than a stack.
  const Field fields[] = {{"weight", uint64_t{7}}};
  sample.event = clock;
  sample.fields = fields;
  ASSERT_TRUE(emitter_->OnSample(sample).ok());
  const std::string json = Finish();
  for (const char* instant :
       {"\"loads\",\"ph\":\"i\",\"cat\":\"loads\",\"pid\":10,\"tid\":10,"
        "\"s\":\"t\",\"ts\":0.000,",
        "\"stores\",\"ph\":\"i\",\"cat\":\"stores\",\"pid\":10,\"tid\":10,"
        "\"s\":\"t\",\"ts\":1000.000,",
        "\"tid\":10,\"s\":\"t\",\"ts\":2000.000,",
        "\"tid\":11,\"s\":\"t\",\"ts\":0.000,", "\"weight\":7"}) {
    EXPECT_THAT(json, HasSubstr(instant));
  }
  EXPECT_THAT(json, HasSubstr("\"main\",\"ph\":\"X\",\"pid\":10,\"tid\":10,"
                              "\"cat\":\"cpu-clock,/bin/app\",\"ts\":0.000"));
}

TEST_F(ChromeTest, ShowsSamplesWithoutTimesAsInstantsOnRequest) {
  options_["samples"] = "instants";
  const EventId clock = AddClock();
  const ThreadId a = AddThread(10, 10, "a");
  ASSERT_TRUE(Start().ok());
  Sample sample;
  sample.event = clock;
  sample.thread = a;
  sample.period = kMs;
  sample.stack = Stack({"main"});
  ASSERT_TRUE(emitter_->OnSample(sample).ok());
  EXPECT_THAT(Finish(), HasSubstr("\"cpu-clock\",\"ph\":\"i\""));
}

TEST_F(ChromeTest, ChoosesTheEventThatDrivesSlices) {
  AddEvent({.name = "dummy:HG", .kind = EventKind::kDummy});
  AddClock();
  const EventId faults = AddEvent({.name = "page-faults"});
  const ThreadId a = AddThread(10, 10, "a");
  tables_.events[faults].selection_rank = 1;
  tables_.events[1].selection_rank = 2;
  ASSERT_TRUE(Start().ok());
  At(1 * kMs, a, faults, Stack({"main"}));
  At(2 * kMs, a, 1, Stack({"main"}));
  const std::string json = Finish();
  EXPECT_THAT(json, HasSubstr("\"ph\":\"X\",\"pid\":10,\"tid\":10,"
                              "\"cat\":\"page-faults,"));
  EXPECT_THAT(json, HasSubstr("\"ph\":\"i\",\"cat\":\"cpu-clock\""));
}

TEST_F(ChromeTest, WritesNothingOfSamplesOnRequest) {
  options_["samples"] = "none";
  const EventId clock = AddClock();
  const ThreadId a = AddThread(10, 10, "a");
  ASSERT_TRUE(Start().ok());
  At(1 * kMs, a, clock, Stack({"main"}));
  EXPECT_THAT(Finish(), Not(HasSubstr("\"ph\":\"X\"")));
}

TEST_F(ChromeTest, ShowsOffCpuTimeBeforeTheFirstOtherRecord) {
  const EventId clock = AddClock();
  const EventId off =
      AddEvent({.name = "offcpu-time", .kind = EventKind::kOffCpu});
  const ThreadId a = AddThread(10, 10, "a");
  ASSERT_TRUE(Start().ok());
  Sample sample;
  sample.event = off;
  sample.thread = a;
  sample.stack = Stack({"main", "sleep"});
  sample.time = 9 * kMs;
  sample.period = 7 * kMs;
  ASSERT_TRUE(emitter_->OnSample(sample).ok());
  At(10 * kMs, a, clock, Stack({"main"}));
  const std::string json = Finish();
  EXPECT_THAT(json, HasSubstr("{\"name\":\"off-CPU\",\"ph\":\"X\",\"pid\":10,"
                              "\"tid\":10,\"cat\":\"offcpu-time\","
                              "\"ts\":0.002,\"dur\":6999.99"));
  EXPECT_THAT(json, HasSubstr("\"start_ns\":\"2000000\""));
}

TEST_F(ChromeTest, SumsOfOffCpuTimeEndAtTheLargestTime) {
  const EventId clock = AddClock();
  const EventId off =
      AddEvent({.name = "offcpu-time", .kind = EventKind::kOffCpu});
  const int32_t most = std::numeric_limits<int32_t>::max();
  const ThreadId a = AddThread(10, most, "a");
  ASSERT_TRUE(Start().ok());
  At(1 * kMs, a, clock, Stack({"main"}));
  Sample sum;
  sum.event = off;
  sum.thread = a;
  sum.stack = Stack({"main"});
  sum.period = uint64_t{3} << 62;
  ASSERT_TRUE(emitter_->OnSample(sum).ok());
  ASSERT_TRUE(emitter_->OnSample(sum).ok());
  ASSERT_TRUE(emitter_->OnSample(sum).ok());
  const std::string json = Finish();
  EXPECT_THAT(json, HasSubstr("\"ts\":13835058055282163.712,"
                              "\"dur\":4611686018426387.902"));
  EXPECT_THAT(json, HasSubstr("\"ts\":18446744073708551.615,\"dur\":0.000"));
  // The number of the sums' row fits as well.
  EXPECT_THAT(json, Not(HasSubstr("\"tid\":-")));
}

TEST_F(ChromeTest, ProfilesOfLateSamplesHaveNoNegativeTimes) {
  options_["samples"] = "profile";
  const EventId clock = AddClock();
  const ThreadId a = AddThread(10, 10, "a");
  ASSERT_TRUE(Start().ok());
  At(100 * kMs, a, clock, Stack({"main"}));
  Out(102 * kMs, a, 1, "S");
  At(101 * kMs, a, clock, Stack({"main"}));
  EXPECT_THAT(Finish(), HasSubstr("\"timeDeltas\":[0,2000,0,0]"));
}

class ChromeSyscallTest : public ChromeTest {
 protected:
  // Returns the trace of one call of a recording with one more event. With
  // `selected`, --event named the call's tracepoints.
  std::string TraceOf(const Event& more, bool selected, const char* form) {
    options_["samples"] = form;
    const EventId enter =
        AddEvent(TracepointEvent("raw_syscalls", "sys_enter"));
    const EventId exit = AddEvent(TracepointEvent("raw_syscalls", "sys_exit"));
    if (selected) {
      tables_.events[enter].selection_rank = 1;
      tables_.events[exit].selection_rank = 1;
    }
    AddEvent(more);
    if (selected) tables_.events.back().selection_rank = kNoId;
    const ThreadId a = AddThread(10, 10, "a");
    EXPECT_TRUE(Start().ok());
    const Field fields[] = {{"id", int64_t{0}}};
    Tracepoint(1 * kMs, a, enter, fields);
    Tracepoint(2 * kMs, a, exit, fields);
    return Finish();
  }
  static constexpr const char* kOnItsThread =
      "{\"name\":\"read\",\"ph\":\"X\",\"cat\":\"syscall\"";
  static constexpr const char* kOnItsOwnRow =
      "{\"name\":\"read\",\"ph\":\"b\",\"cat\":\"syscall\"";
};

TEST_F(ChromeSyscallTest, HaveOwnRowsWhereTheirSamplesHaveSlices) {
  EXPECT_THAT(
      TraceOf(TracepointEvent("probe", "f"), /*selected=*/true, "slices"),
      HasSubstr(kOnItsOwnRow));
}

TEST_F(ChromeSyscallTest, HaveOwnRowsWhereOffCpuTimeHasSlices) {
  EXPECT_THAT(TraceOf({.name = "offcpu-time", .kind = EventKind::kOffCpu},
                      /*selected=*/false, "profile"),
              HasSubstr(kOnItsOwnRow));
}

TEST_F(ChromeSyscallTest, AreOnTheirThreadsRowsWhereNoSampleHasSlices) {
  EXPECT_THAT(TraceOf({.name = "dummy", .kind = EventKind::kDummy},
                      /*selected=*/false, "slices"),
              HasSubstr(kOnItsThread));
}

TEST_F(ChromeSyscallTest, AreOnTheirThreadsRowsWhereSamplesAreInstants) {
  EXPECT_THAT(TraceOf({.name = "cpu-clock", .kind = EventKind::kClock},
                      /*selected=*/false, "instants"),
              HasSubstr(kOnItsThread));
}

TEST_F(ChromeSyscallTest, HaveOwnRowsBesideAClock) {
  EXPECT_THAT(TraceOf({.name = "cpu-clock", .kind = EventKind::kClock},
                      /*selected=*/false, "slices"),
              HasSubstr(kOnItsOwnRow));
}

}  // namespace
}  // namespace perf2x
