// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/perfetto/perfetto_sched.h"

#include <gmock/gmock.h>

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/emit/perfetto/perfetto_fixture.h"

namespace perf2x {
namespace {

namespace protos = perfetto::protos;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// The switches of a CPU: "time:tid state", the thread that runs from then on
// and the state of the one before.
std::vector<std::string> SwitchesOf(const protos::Trace& trace, uint32_t cpu) {
  std::vector<std::string> out;
  for (const protos::TracePacket& packet : trace.packet()) {
    const protos::FtraceEventBundle& bundle = packet.ftrace_events();
    if (!packet.has_ftrace_events() || bundle.cpu() != cpu) continue;
    for (const protos::FtraceEvent& event : bundle.event()) {
      if (!event.has_sched_switch()) continue;
      out.push_back(absl::StrCat(event.timestamp(), ":",
                                 event.sched_switch().next_pid(), " ",
                                 event.sched_switch().prev_state()));
    }
    const auto& compact = bundle.compact_sched();
    uint64_t time = 0;
    for (int i = 0; i < compact.switch_timestamp_size(); ++i) {
      time += compact.switch_timestamp(i);
      out.push_back(absl::StrCat(time, ":", compact.switch_next_pid(i), " ",
                                 compact.switch_prev_state(i)));
    }
  }
  return out;
}

TEST_F(PerfettoTest, WritesSwitchesWakeupsAndTracepoints) {
  const EventId irq = AddTracepoint("irq", "irq_handler_entry");
  AddTracepoint("sched", "sched_switch");
  const ThreadId idle = AddThread(0, 0, "swapper", "swapper");
  const ThreadId a = AddThread(10, 10, "a", "a"),
                 b = AddThread(10, 11, "a", "b");
  ASSERT_TRUE(Start().ok());
  Out(1000, idle, 0, "R");
  In(1000, a, 0);
  const Field fields[] = {{"irq", int64_t{9}}, {"name", "timer"}};
  Tracepoint(1500, a, irq, fields);
  const Wakeup wakeup = {
      .time = 2000, .waker = a, .woken = b, .cpu = 0, .target_cpu = 1};
  ASSERT_TRUE(emitter().OnWakeup(wakeup).ok());
  Out(3000, a, 0, "S");
  In(3000, b, 0);
  Out(4000, b, 0, "R+");
  In(4000, idle, 0);
  ExpectGolden("perfetto_sched");
}

TEST_F(PerfettoTest, ShowsRunsFromARecordedBeginningToARecordedEnd) {
  const ThreadId a = AddThread(10, 10, "a", "a"),
                 b = AddThread(10, 11, "a", "b");
  ASSERT_TRUE(Start().ok());
  Out(500, b, 0, "S");  // its beginning is not recorded
  In(500, a, 0);
  Out(1000, a, 0, "D");
  In(2000, b, 0);
  Out(3000, b, 0, "S");
  In(3000, a, 0);
  Lost lost;
  lost.time = 3500;
  lost.count = 1;
  lost.cpu = 0;
  ASSERT_TRUE(emitter().OnLost(lost).ok());
  Out(4000, a, 0, "S");
  In(4000, b, 0);
  Out(5000, b, 0, "X");
  In(5000, a, 0);  // to the end of the recording
  EXPECT_THAT(SwitchesOf(Result(), 0),
              ElementsAre("500:10 0", "1000:0 2", "2000:11 0", "3000:0 1",
                          "4000:11 0", "5000:0 16"));
}

// Readers take no time of a clock that they do not know yet.
TEST_F(PerfettoTest, WritesTheClocksBeforeTheFirstBundle) {
  const ThreadId a = AddThread(10, 10, "a", "a");
  ASSERT_TRUE(Start().ok());
  ASSERT_TRUE(emitter().OnThread(a, std::nullopt).ok());
  In(500, a, 0);
  Out(1000, a, 0, "S");
  int clocks = 0, bundles = 0;
  const protos::Trace trace = Result();
  for (const protos::TracePacket& packet : trace.packet()) {
    clocks += packet.has_clock_snapshot();
    if (!packet.has_ftrace_events()) continue;
    ++bundles;
    EXPECT_EQ(clocks, 1);
  }
  EXPECT_EQ(bundles, 1);
}

TEST_F(PerfettoTest, LeavesOutCpusThatReadersRefuse) {
  const ThreadId a = AddThread(10, 10, "a", "a");
  ASSERT_TRUE(Start().ok());
  In(500, a, 1024);
  Out(1000, a, 1024, "S");
  EXPECT_THAT(SwitchesOf(Result(), 1024), IsEmpty());
  EXPECT_TRUE(diagnostics_.lossy());
}

TEST_F(PerfettoTest, CountsSwitchesAndWakeupsWithoutCpus) {
  const ThreadId a = AddThread(10, 10, "a", "a");
  ASSERT_TRUE(Start().ok());
  In(500, a, -1);
  Out(1000, a, -1, "S");
  const Wakeup wakeup = {.time = 2000, .woken = a};
  ASSERT_TRUE(emitter().OnWakeup(wakeup).ok());
  const protos::Trace trace = Result();
  for (const protos::TracePacket& packet : trace.packet()) {
    EXPECT_FALSE(packet.has_ftrace_events());
  }
  ASSERT_EQ(diagnostics_.entries().size(), 1u);
  EXPECT_EQ(diagnostics_.entries().begin()->second.count, 3u);
}

TEST_F(PerfettoTest, ShowsTracepointsWithoutCpusOnTheirThreads) {
  const EventId event = AddTracepoint("my", "event");
  const ThreadId a = AddThread(10, 10, "a", "a");
  ASSERT_TRUE(Start().ok());
  const Field fields[] = {{"x", uint64_t{7}}};
  Tracepoint(1000, a, event, fields, /*cpu=*/-1);
  std::vector<uint64_t> values;
  const protos::Trace trace = Result();
  for (const protos::TracePacket& packet : trace.packet()) {
    EXPECT_FALSE(packet.has_ftrace_events());
    EXPECT_FALSE(packet.perf_sample().has_cpu());
    for (const auto& arg : packet.track_event().debug_annotations()) {
      values.push_back(arg.uint_value());
    }
  }
  EXPECT_THAT(values, ElementsAre(7));
}

TEST_F(PerfettoTest, GivesEachFormOfATracepointADescriptor) {
  const EventId event = AddTracepoint("my", "event");
  const ThreadId a = AddThread(10, 10, "a", "a");
  ASSERT_TRUE(Start().ok());
  const Field one[] = {{"x", uint64_t{1}}};
  const Field other[] = {{"x", "text"}, {"y", 0.5}};
  Tracepoint(1000, a, event, one);
  Tracepoint(2000, a, event, other);
  Tracepoint(3000, a, event, one);
  std::vector<int32_t> forms;
  const protos::Trace trace = Result();
  for (const protos::TracePacket& packet : trace.packet()) {
    for (const auto& form :
         packet.ftrace_events().generic_event_descriptors()) {
      forms.push_back(form.field_id());
    }
  }
  EXPECT_THAT(forms, ElementsAre(65536, 65537));
}

TEST_F(PerfettoTest, ShowsSystemCallsAsSlices) {
  const EventId enter = AddTracepoint("raw_syscalls", "sys_enter");
  const EventId exit = AddTracepoint("raw_syscalls", "sys_exit");
  const ThreadId a = AddThread(10, 10, "a", "a");
  ASSERT_TRUE(Start().ok());
  const Field read[] = {{"id", int64_t{0}}};
  Tracepoint(1000, a, enter, read);
  Tracepoint(1500, a, exit, read);
  std::vector<std::string> names;
  std::vector<uint64_t> times;
  const protos::Trace trace = Result();
  for (const protos::TracePacket& packet : trace.packet()) {
    for (const auto& name : packet.interned_data().event_names()) {
      names.push_back(name.name());
    }
    if (packet.has_track_event()) times.push_back(packet.timestamp());
  }
  EXPECT_THAT(names, ElementsAre("read"));
  EXPECT_THAT(times, ElementsAre(1000, 1500));
}

TEST(TaskStateBitsTest, AreThoseOfTheRecordedKernel) {
  EXPECT_EQ(TaskStateBits("R", "6.1.0"), 0u);
  EXPECT_EQ(TaskStateBits("R+", "6.1.0-13-amd64"), 0x100u);
  EXPECT_EQ(TaskStateBits("R+", "4.13.5"), 0x1000u);
  EXPECT_EQ(TaskStateBits("R+", "3.10.0"), 0x800u);
  EXPECT_EQ(TaskStateBits("R+", ""), 0x800u);
  EXPECT_EQ(TaskStateBits("D|K", "3.10.0"), 0x82u);
  EXPECT_EQ(TaskStateBits("I", "6.1"), 0x80u);
  EXPECT_EQ(TaskStateBits("P", "4.14.0"), 0x40u);
  EXPECT_EQ(TaskStateBits("Z", "6.1.0"), 0x20u);
  EXPECT_EQ(TaskStateBits("?", "6.1.0"), 0u);
}

}  // namespace
}  // namespace perf2x
