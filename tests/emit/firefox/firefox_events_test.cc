// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <algorithm>

#include "tests/emit/firefox/firefox_fixture.h"
#include "tests/support/cpu_time.h"

namespace perf2x {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Threads, scheduling, tracepoints, losses and counters.
class FirefoxEventsTest : public FirefoxTest {
 protected:
  void In(uint64_t time, ThreadId thread) {
    const Switch event = {
        .time = time, .thread = thread, .cpu = 2, .state = ""};
    ASSERT_TRUE(emitter().OnSwitch(event).ok());
  }
  void Out(uint64_t time, ThreadId thread, absl::string_view state = "",
           StackId stack = kNoId, ThreadId next = kNoId) {
    const Switch event = {.time = time,
                          .thread = thread,
                          .cpu = 2,
                          .out = true,
                          .state = state,
                          .other = next,
                          .stack = stack};
    ASSERT_TRUE(emitter().OnSwitch(event).ok());
  }
  EventId AddTracepoint(const std::string& system, const std::string& name) {
    const EventId event = AddEvent(absl::StrCat(system, ":", name), "count",
                                   EventKind::kTracepoint);
    tables_.events[event].tracepoint = {system, name};
    return event;
  }
  void Tracepoint(uint64_t time, EventId event, ThreadId thread,
                  Fields fields) {
    Sample sample;
    sample.time = time;
    sample.event = event;
    sample.thread = thread;
    sample.stack = Stack({"sys_read"});
    sample.tracepoint = fields;
    ASSERT_TRUE(emitter().OnSample(sample).ok());
  }
  static double Time(const Json& thread, const char* key) {
    return thread[key].IsNull() ? -1 : thread[key].GetDouble();
  }
};

TEST_F(FirefoxEventsTest, ThreadsLastFromForkToExit) {
  const ThreadId parent = AddThread(1, 1, "sh", "sh");
  const ThreadId child = AddThread(2, 2, "sh", "sh");
  ASSERT_TRUE(Start().ok());
  ASSERT_TRUE(emitter().OnThread(parent, std::nullopt).ok());
  ASSERT_TRUE(emitter().OnFork({10 * kMs, parent, child}).ok());
  const ThreadId renamed = AddThread(2, 2, "app", "app");
  ASSERT_TRUE(emitter().OnThread(renamed, 11 * kMs).ok());
  ASSERT_TRUE(emitter().OnExec({11 * kMs, renamed}).ok());
  ASSERT_TRUE(emitter().OnExit({14 * kMs, renamed}).ok());
  // The kernel gives the number to another process.
  ASSERT_TRUE(emitter().OnFork({20 * kMs, parent, child}).ok());
  const ThreadId third = AddThread(2, 3, "sh", "third");
  ASSERT_TRUE(emitter().OnFork({21 * kMs, child, third}).ok());
  ASSERT_TRUE(emitter().OnExit({25 * kMs, third}).ok());
  ASSERT_TRUE(emitter().OnFork({26 * kMs, child, third}).ok());
  End();
  EXPECT_EQ(Names(), "sh, app, sh, third, third");
  const Json& threads = profile_["threads"];
  const auto facts = [&](int i) {
    const Json& thread = At(threads, i);
    return absl::StrCat(
        thread["pid"].GetString(), " ",
        thread["tid"].IsInt() ? absl::StrCat(thread["tid"].GetInt())
                              : absl::StrCat(thread["tid"].GetString()),
        " ", thread["processName"].GetString(), " ",
        Time(thread, "registerTime"), " to ", Time(thread, "unregisterTime"),
        " of ", Time(thread, "processStartupTime"), " to ",
        Time(thread, "processShutdownTime"));
  };
  EXPECT_EQ(facts(0), "1 1 sh 0 to -1 of 0 to -1");
  EXPECT_EQ(facts(1), "2 2 app 0 to 4 of 0 to 4");
  EXPECT_EQ(facts(2), "2.1 2.1 sh 10 to -1 of 10 to -1");
  EXPECT_EQ(facts(3), "2.1 3 sh 11 to 15 of 10 to -1");
  EXPECT_EQ(facts(4), "2.1 3.1 sh 16 to -1 of 10 to -1");
  EXPECT_THAT(MarkersOf(At(threads, 0)),
              ElementsAre("fork 0 child_pid=2 child_tid=2",
                          "fork 10 child_pid=2 child_tid=2"));
  EXPECT_THAT(MarkersOf(At(threads, 1)),
              ElementsAre("exec 1 name=app", "exit 4"));
}

TEST_F(FirefoxEventsTest, TimeOffTheCpuIsAMarker) {
  const EventId clock = AddEvent("cpu-clock", "nanoseconds", EventKind::kClock);
  const ThreadId app = AddThread(1, 1, "app", "app");
  const ThreadId idle = AddThread(0, 0, "swapper", "swapper");
  ASSERT_TRUE(Start().ok());
  In(10 * kMs, app);
  Add(clock, app, Stack({"main"}), kMs, 11 * kMs);
  Out(12 * kMs, app, "D", Stack({"sys_read", "main"}), idle);
  In(12 * kMs, idle);
  Out(15 * kMs, app);  // a SWITCH record that repeats it
  Out(18 * kMs, idle, "R");
  In(18 * kMs, app);
  Add(clock, app, Stack({"main"}), kMs, 20 * kMs);
  Out(21 * kMs, app, "S");
  End();
  EXPECT_THAT(
      MarkersOf(ThreadNamed("app")),
      ElementsAre("off CPU 2-8 state=D cpu=2 next=swapper 0 in main;sys_read",
                  "off CPU 11-11 state=S cpu=2"));
  EXPECT_THAT(MarkersOf(ThreadNamed("swapper")), IsEmpty());
  // Ran from 10 to 12 and from 18 on.
  EXPECT_THAT(CpuTimes(ThreadNamed("app")), ElementsAre(kMs, 3 * kMs));
}

TEST_F(FirefoxEventsTest, LossesEndWhatIsKnownOfThreads) {
  const ThreadId app = AddThread(1, 1, "app", "app");
  ASSERT_TRUE(Start().ok());
  In(10 * kMs, app);
  Out(11 * kMs, app);
  Lost lost;
  lost.time = 12 * kMs;
  lost.count = 7;
  lost.cpu = 3;
  ASSERT_TRUE(emitter().OnLost(lost).ok());
  In(13 * kMs, app);
  lost.cpu = -1;
  lost.thread = app;
  lost.is_samples = true;
  ASSERT_TRUE(emitter().OnLost(lost).ok());
  AuxGap gap;
  gap.time = 14 * kMs;
  gap.thread = app;
  gap.reason = "truncated";
  ASSERT_TRUE(emitter().OnAuxGap(gap).ok());
  End();
  EXPECT_THAT(MarkersOf(ThreadNamed("app")),
              ElementsAre("off CPU 1 state=S cpu=2", "lost samples 2 count=7",
                          "AUX data missing 4 reason=truncated"));
  EXPECT_THAT(MarkersOf(ThreadNamed("CPUs")),
              ElementsAre("lost records 2 count=7 cpu=3"));
}

// The switch after the gap may be that of the idle thread, which has no
// markers.
TEST_F(FirefoxEventsTest, GapThatTheIdleThreadReportsCounts) {
  const ThreadId app = AddThread(1, 1, "app", "app");
  const ThreadId idle = AddThread(0, 0, "swapper", "swapper");
  ASSERT_TRUE(Start().ok());
  In(10 * kMs, app);
  Out(11 * kMs, app, "S", kNoId, idle);
  const Switch event = {.time = 15 * kMs,
                        .thread = idle,
                        .cpu = 2,
                        .out = true,
                        .state = "R",
                        .other = app,
                        .after_gap = true};
  ASSERT_TRUE(emitter().OnSwitch(event).ok());
  In(15 * kMs, app);
  End();
  // Whether the thread ran meanwhile is not known.
  EXPECT_THAT(MarkersOf(ThreadNamed("app")),
              ElementsAre("off CPU 1 state=S cpu=2 next=swapper 0"));
}

TEST_F(FirefoxEventsTest, ThrottlingIsAnInterval) {
  const EventId cycles = AddEvent("cycles");
  ASSERT_TRUE(Start().ok());
  Throttle throttle;
  throttle.event = cycles;
  throttle.cpu = 1;
  throttle.time = 5 * kMs;
  ASSERT_TRUE(emitter().OnThrottle(throttle).ok());
  throttle.begin = false;
  throttle.time = 7 * kMs;
  ASSERT_TRUE(emitter().OnThrottle(throttle).ok());
  End();
  EXPECT_THAT(MarkersOf(ThreadNamed("CPUs")),
              ElementsAre("throttled 0-2 event=cycles cpu=1"));
}

TEST_F(FirefoxEventsTest, KeysOfFieldsDiffer) {
  const EventId event = AddTracepoint("synthetic", "block");
  const ThreadId app = AddThread(1, 1, "app", "app");
  ASSERT_TRUE(Start().ok());
  const Field fields[] = {{"stack", uint64_t{5}},
                          {"stack_", uint64_t{6}},
                          {"cause_", uint64_t{7}},
                          {"cause", uint64_t{8}},
                          {"type", uint64_t{9}}};
  Tracepoint(kMs, event, app, fields);
  End();
  EXPECT_THAT(MarkersOf(ThreadNamed("app")),
              ElementsAre("synthetic:block 0 stack__=5 stack_=6 cause_=7 "
                          "cause__=8 type_=9 in sys_read"));
}

TEST_F(FirefoxEventsTest, TracepointsAreMarkersWithASchema) {
  const EventId event = AddTracepoint("net", "rx");
  const ThreadId app = AddThread(1, 1, "app", "app");
  ASSERT_TRUE(Start().ok());
  const Field fields[] = {{"dev", absl::string_view("eth0")},
                          {"len", uint64_t{60}},
                          {"delta", int64_t{-3}},
                          {"flags", Field::Hex{0x11}},
                          {"type", uint64_t{8}},
                          {"share", 0.5},
                          {"address", Field::Hex{0x1000}},
                          {"mixed", uint64_t{1}}};
  Tracepoint(kMs, event, app, fields);
  const Field other[] = {{"len", uint64_t{61}},
                         {"address", Field::Hex{~uint64_t{0}}},
                         {"mixed", absl::string_view("one")}};
  Tracepoint(2 * kMs, event, app, other);
  End();
  EXPECT_THAT(
      MarkersOf(ThreadNamed("app")),
      ElementsAre("net:rx 0 dev=eth0 len=60 delta=-3 flags=0x11 type_=8 "
                  "share=0.5 address='0x1000' mixed='1' in sys_read",
                  "net:rx 1 len=61 address='0xffffffffffffffff' mixed='one' "
                  "in sys_read"));
  const Json& schema = At(profile_["meta"]["markerSchema"], 0);
  EXPECT_STREQ(schema["name"].GetString(), "net:rx");
  EXPECT_STREQ(schema["tableLabel"].GetString(),
               "dev={marker.data.dev} len={marker.data.len} "
               "delta={marker.data.delta} flags={marker.data.flags} "
               "type_={marker.data.type_} share={marker.data.share}");
  EXPECT_STREQ(At(schema["fields"], 4)["label"].GetString(), "type");
  // Without an event that samples code, the tracepoint's samples are the
  // thread's own.
  EXPECT_THAT(SamplesOf(ThreadNamed("app")),
              ElementsAre("0 sys_read", "1 sys_read"));
}

// The schema has the order of the first sample, and no other sample has it.
TEST_F(FirefoxEventsTest, FieldsOfATypeAreFoundAtOnce) {
  const EventId event = AddTracepoint("net", "rx");
  const ThreadId app = AddThread(1, 1, "app", "app");
  ASSERT_TRUE(Start().ok());
  constexpr size_t kFields = 4000;
  std::vector<std::string> names;
  for (size_t i = 0; i < kFields; ++i) names.push_back(absl::StrCat("f", i));
  std::vector<Field> fields;
  for (size_t i = kFields; i-- > 0;) fields.push_back({names[i], uint64_t{i}});
  uint64_t time = 0;
  auto add = [&] {
    for (int i = 0; i < 100; ++i) Tracepoint(++time * kMs, event, app, fields);
  };
  const double in_order = CpuSecondsOf(add);
  std::reverse(fields.begin(), fields.end());
  const double reversed = CpuSecondsOf(add);
  // A search of all fields takes a hundred times as long.
  EXPECT_LT(reversed, 10 * in_order);
  End();
  const Json& schema = At(profile_["meta"]["markerSchema"], 0);
  EXPECT_EQ(schema["fields"].Size(), kFields);
  const Json& data = At(ThreadNamed("app")["markers"]["data"], 1);
  EXPECT_EQ(data["f7"].GetInt(), 7);
}

TEST_F(FirefoxEventsTest, MeasurementsAreMarkers) {
  const EventId loads = AddEvent("mem-loads");
  const ThreadId app = AddThread(1, 1, "app", "app");
  ASSERT_TRUE(Start().ok());
  Sample sample;
  sample.time = kMs;
  sample.event = loads;
  sample.thread = app;
  sample.stack = Stack({"main"});
  const Field measured[] = {{"addr", Field::Hex{0x1000}},
                            {"weight", uint64_t{9}},
                            {"branch_stack", absl::string_view("1/2")}};
  sample.fields = measured;
  ASSERT_TRUE(emitter().OnSample(sample).ok());
  const Field nothing[] = {{"addr", Field::Hex{0}}, {"weight", uint64_t{0}}};
  sample.fields = nothing;
  ASSERT_TRUE(emitter().OnSample(sample).ok());
  End();
  EXPECT_THAT(MarkersOf(ThreadNamed("app")),
              ElementsAre("mem-loads 0 addr=0x1000 weight=9 in main"));
}

TEST_F(FirefoxEventsTest, PageFaultsAreMarkersWithoutAddressesToo) {
  const EventId clock = AddEvent("cpu-clock", "nanoseconds", EventKind::kClock);
  // A name that the user chose.
  const EventId faults = AddEvent("touched", "count", EventKind::kPageFault);
  const ThreadId app = AddThread(1, 1, "app", "app");
  ASSERT_TRUE(Start().ok());
  Add(clock, app, Stack({"main"}), kMs, kMs);
  Add(faults, app, Stack({"sort"}), 3, 2 * kMs);
  Add(faults, app, Stack({"main"}), 1);  // without a time
  Sample sample;
  sample.time = 3 * kMs;
  sample.event = faults;
  sample.thread = app;
  sample.stack = Stack({"main"});
  sample.cpu = 2;
  sample.period = 1;
  const Field address[] = {{"addr", Field::Hex{0x1000}}};
  sample.fields = address;
  ASSERT_TRUE(emitter().OnSample(sample).ok());
  End();
  EXPECT_THAT(MarkersOf(ThreadNamed("app")),
              ElementsAre("touched 1 count=3 in main;sort(int*)",
                          "touched 2 addr=0x1000 count=1 cpu=2 in main"));
  // They stay samples.
  EXPECT_THAT(SamplesOf(ThreadNamed("app")), ElementsAre("0 main"));
  EXPECT_EQ(ThreadNamed("app (touched)")["samples"]["length"].GetInt(), 3);
}

TEST_F(FirefoxEventsTest, CountsAreTracksOfCpusAndProcesses) {
  const EventId event = AddEvent("instructions");
  const EventId power = AddEvent("energy-pkg");
  tables_.events[power].counter_unit = "Joules";
  const ThreadId app = AddThread(1, 1, "app", "app");
  ASSERT_TRUE(Start().ok());
  Counter counter;
  counter.event = event;
  counter.thread = app;
  counter.since = 10 * kMs;
  counter.time = 20 * kMs;
  counter.value = 500;
  ASSERT_TRUE(emitter().OnCounter(counter).ok());
  counter.since = 20 * kMs;
  counter.time = 25 * kMs;
  counter.value = 70;
  ASSERT_TRUE(emitter().OnCounter(counter).ok());
  counter.since = 30 * kMs;
  counter.time = 31 * kMs;
  counter.value = 8;
  ASSERT_TRUE(emitter().OnCounter(counter).ok());
  counter = Counter();
  counter.event = power;
  counter.cpu = 0;
  counter.time = 20 * kMs;
  counter.value = 0.25;
  ASSERT_TRUE(emitter().OnCounter(counter).ok());
  End();
  const Json& counters = profile_["counters"];
  ASSERT_EQ(counters.Size(), 2u);
  const Json& counts = At(counters, 0);
  EXPECT_STREQ(counts["name"].GetString(), "instructions of 1");
  EXPECT_STREQ(counts["pid"].GetString(), "1");
  EXPECT_EQ(counts["mainThreadIndex"].GetInt(), 0);
  EXPECT_THAT(Ints(counts["samples"]["timeDeltas"]),
              ElementsAre(0, 10, 5, 5, 1));
  EXPECT_THAT(Ints(counts["samples"]["count"]), ElementsAre(0, 500, 70, 0, 8));
  const Json& joules = At(counters, 1);
  EXPECT_STREQ(joules["name"].GetString(), "energy-pkg on CPU 0");
  EXPECT_STREQ(joules["display"]["unit"].GetString(), "Joules");
  EXPECT_EQ(joules["mainThreadIndex"].GetInt(), 1);
  EXPECT_STREQ(At(profile_["threads"], 1)["pid"].GetString(),
               joules["pid"].GetString());
  EXPECT_EQ(At(joules["samples"]["count"], 1).GetDouble(), 0.25);
}

TEST_F(FirefoxEventsTest, MemoryOfAProcessIsACounter) {
  const EventId event = AddTracepoint("kmem", "rss_stat");
  const ThreadId app = AddThread(1, 1, "app", "app");
  const ThreadId other = AddThread(2, 2, "sh", "sh");
  ASSERT_TRUE(Start().ok());
  const auto add = [&](uint64_t time, ThreadId thread, uint64_t current,
                       int64_t member, int64_t size) {
    const Field fields[] = {{"mm_id", uint64_t{77}},
                            {"curr", current},
                            {"member", member},
                            {"size", size}};
    Tracepoint(time * kMs, event, thread, fields);
  };
  add(1, app, 1, 1, 4096);
  add(2, app, 1, 0, 8192);
  add(3, other, 0, 1, 12288);  // changes the memory of the first
  add(4, app, 1, 2, 1 << 20);  // swapped pages
  add(5, app, 1, 1, 0);
  End();
  ASSERT_EQ(profile_["counters"].Size(), 1u);
  const Json& memory = At(profile_["counters"], 0);
  EXPECT_STREQ(memory["category"].GetString(), "Memory");
  EXPECT_STREQ(memory["pid"].GetString(), "1");
  EXPECT_THAT(Ints(memory["samples"]["timeDeltas"]), ElementsAre(0, 1, 1, 2));
  EXPECT_THAT(Ints(memory["samples"]["count"]),
              ElementsAre(4096, 8192, 8192, -12288));
}

}  // namespace
}  // namespace perf2x
