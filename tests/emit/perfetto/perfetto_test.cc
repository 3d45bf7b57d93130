// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/emit/perfetto/perfetto_fixture.h"
#include "tests/support/cpu_time.h"

namespace perf2x {
namespace {

namespace protos = perfetto::protos;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

TEST_F(PerfettoTest, WritesSamplesWithStacksOfEachEvent) {
  const EventId clock = AddEvent("cpu-clock", "nanoseconds", EventKind::kClock);
  tables_.events[clock].period = 4000;
  tables_.events[clock].period_is_frequency = true;
  const EventId faults = AddEvent("page-faults");
  ASSERT_TRUE(Start().ok());
  const ThreadId app = AddThread(10, 10, "app", "app");
  const ThreadId pool = AddThread(10, 11, "app", "pool worker");
  const StackId sort = Stack({"memcpy", "sort", "main"});
  const StackId unknown = Stack({"?", "main"});
  Add(clock, app, sort, 250'000, 1000);
  Add(clock, pool, sort, 250'000, 2000);
  Add(faults, app, unknown, 3, 2500);
  Add(clock, app, unknown, 500'000, 3000);
  ExpectGolden("perfetto_samples");
}

TEST_F(PerfettoTest, WritesTasksCountersAndLosses) {
  const EventId cycles = AddEvent("cycles");
  ASSERT_TRUE(Start().ok());
  const ThreadId shell = AddThread(9, 9, "sh", "sh");
  const ThreadId child = AddThread(10, 10, "sh", "sh");
  const ThreadId app = AddThread(10, 10, "my app", "my app");
  ASSERT_TRUE(emitter().OnFork({1000, shell, child}).ok());
  ASSERT_TRUE(emitter().OnThread(app, 1500).ok());
  ASSERT_TRUE(emitter().OnExec({1500, app}).ok());
  Counter counter;
  counter.event = cycles;
  counter.cpu = 1;
  counter.since = 1000;
  counter.time = 2000;
  counter.value = 12.5;
  ASSERT_TRUE(emitter().OnCounter(counter).ok());
  Lost lost;
  lost.time = 2500;
  lost.count = 7;
  lost.cpu = 1;
  ASSERT_TRUE(emitter().OnLost(lost).ok());
  Throttle throttle;
  throttle.time = 2600;
  throttle.event = cycles;
  throttle.cpu = 1;
  ASSERT_TRUE(emitter().OnThrottle(throttle).ok());
  throttle.time = 2700;
  throttle.begin = false;
  ASSERT_TRUE(emitter().OnThrottle(throttle).ok());
  ASSERT_TRUE(emitter().OnExit({3000, app}).ok());
  ExpectGolden("perfetto_tasks");
}

TEST_F(PerfettoTest, DefinesEverythingBeforeItIsUsed) {
  const EventId cycles = AddEvent("cycles"), faults = AddEvent("page-faults");
  ASSERT_TRUE(Start().ok());
  const ThreadId app = AddThread(10, 10, "app", "app");
  for (uint64_t i = 0; i < 100; ++i) {
    Add(i % 3 == 0 ? faults : cycles, app,
        Stack(i % 2 == 0 ? std::vector<std::string>{"memcpy", "sort", "main"}
                         : std::vector<std::string>{"?", "sys_read"}),
        1, 1000 + i);
  }
  std::map<uint32_t, std::set<uint64_t>> names, frames, mappings, stacks;
  const protos::Trace trace = Result();
  for (const protos::TracePacket& packet : trace.packet()) {
    const uint32_t sequence = packet.trusted_packet_sequence_id();
    EXPECT_NE(sequence, 0u);
    const protos::InternedData& data = packet.interned_data();
    for (const auto& s : data.function_names()) {
      EXPECT_TRUE(names[sequence].insert(s.iid()).second);
    }
    for (const auto& m : data.mappings()) {
      EXPECT_TRUE(mappings[sequence].insert(m.iid()).second);
    }
    for (const auto& f : data.frames()) {
      EXPECT_TRUE(frames[sequence].insert(f.iid()).second);
      EXPECT_EQ(names[sequence].count(f.function_name_id()), 1u);
      EXPECT_EQ(mappings[sequence].count(f.mapping_id()), 1u);
    }
    for (const auto& c : data.callstacks()) {
      EXPECT_TRUE(stacks[sequence].insert(c.iid()).second);
      for (const uint64_t id : c.frame_ids()) {
        EXPECT_EQ(frames[sequence].count(id), 1u);
      }
    }
    if (packet.has_perf_sample()) {
      EXPECT_EQ(stacks[sequence].count(packet.perf_sample().callstack_iid()),
                1u);
    }
  }
  EXPECT_EQ(names.size(), 2u);
}

TEST_F(PerfettoTest, MergesTheAddressesOfAFunction) {
  const EventId cycles = AddEvent("cycles"), faults = AddEvent("page-faults");
  AddFrame("below", kernel_, 0xffffffff81000020);  // also in sys_read
  AddFrame("other", lib_, 0x20);                   // as "?", without a name
  ASSERT_TRUE(Start().ok());
  const ThreadId app = AddThread(10, 10, "app", "app");
  Add(cycles, app, Stack({"sys_read", "?"}), 1, 1000);
  Add(cycles, app, Stack({"below", "other"}), 1, 2000);
  Add(faults, app, Stack({"below", "other"}), 1, 3000);
  // Addresses of two lines stay apart.
  Add(cycles, app, Stack({"sort"}), 1, 4000);
  Add(cycles, app, Stack({"main"}), 1, 5000);
  std::map<uint32_t, std::vector<uint64_t>> addresses, used;
  std::map<uint32_t, int> callstacks;
  const protos::Trace trace = Result();
  for (const protos::TracePacket& packet : trace.packet()) {
    const uint32_t sequence = packet.trusted_packet_sequence_id();
    for (const auto& f : packet.interned_data().frames()) {
      addresses[sequence].push_back(f.rel_pc());
    }
    callstacks[sequence] += packet.interned_data().callstacks_size();
    if (packet.has_perf_sample()) {
      used[sequence].push_back(packet.perf_sample().callstack_iid());
    }
  }
  using Numbers = std::vector<uint64_t>;
  EXPECT_EQ(addresses[2],
            (Numbers{0, 0xffffffff81000010, 0x200, 0x200, 0x100}));
  EXPECT_EQ(addresses[3], (Numbers{0, 0xffffffff81000010}));
  EXPECT_EQ(callstacks[2], 3);
  EXPECT_EQ(callstacks[3], 1);
  ASSERT_EQ(used[2].size(), 4u);
  EXPECT_EQ(used[2][0], used[2][1]);
  EXPECT_EQ(used[3], Numbers{used[2][0]});
}

TEST_F(PerfettoTest, WritesPathsThatReadersDoNotMisread) {
  const EventId cycles = AddEvent("cycles");
  ASSERT_TRUE(Start().ok());
  const ThreadId app = AddThread(10, 10, "app", "app");
  const std::vector<std::pair<std::string, std::string>> paths = {
      {"/data/app/~~aa==/org.a-bb==/base.apk",
       "/data/app/~~aa==/org.a-bb==/base.apk"},
      {"/data/app/org.a-bb==/lib.so", "/data/app/org.a-bb==/lib.so"},
      {"/data/app/org.a/lib.so", "/./data/app/org.a/lib.so"},
      {"/data/app/~~a-a", "/./data/app/~~a-a"},
      {"/data/app/", "/./data/app/"},
      {"dex extracted in memory from /data/app/a/b",
       "dex extracted in memory from /./data/app/a/b"},
      {"/data/local/tmp/a", "/./data/local/tmp/a"},
      {"/data/local/a", "/data/local/a"}};
  uint64_t time = 1000;
  std::vector<std::string> expected;
  for (const auto& [path, shown] : paths) {
    Dso dso;
    dso.name = path;
    AddFrame(path, tables_.AddDso(dso), 0x10);
    Add(cycles, app, Stack({path}), 1, ++time);
    expected.push_back(shown);
  }
  std::vector<std::string> shown;
  const protos::Trace trace = Result();
  for (const protos::TracePacket& packet : trace.packet()) {
    for (const auto& path : packet.interned_data().mapping_paths()) {
      shown.push_back(path.str());
    }
  }
  EXPECT_THAT(shown, ElementsAreArray(expected));
}

TEST_F(PerfettoTest, CountsPeriodsOfEachCpu) {
  const EventId cycles = AddEvent("cycles");
  ASSERT_TRUE(Start().ok());
  const ThreadId app = AddThread(10, 10, "app", "app");
  Sample sample;
  sample.event = cycles;
  sample.thread = app;
  sample.stack = Stack({"main"});
  for (const auto& [cpu, period] : std::vector<std::pair<int32_t, uint64_t>>{
           {0, 5}, {1, 7}, {0, 3}, {-1, 2}}) {
    sample.cpu = cpu;
    sample.period = period;
    sample.time = sample.time.value_or(0) + 10;
    ASSERT_TRUE(emitter().OnSample(sample).ok());
  }
  std::vector<std::string> counts;
  const protos::Trace trace = Result();
  for (const protos::TracePacket& packet : trace.packet()) {
    if (!packet.has_perf_sample()) continue;
    const protos::PerfSample& shown = packet.perf_sample();
    counts.push_back(
        absl::StrCat(shown.has_cpu() ? absl::StrCat(shown.cpu()) : "none", ":",
                     shown.timebase_count()));
  }
  // Readers count samples without a CPU on CPU 0.
  EXPECT_THAT(counts, ElementsAre("0:5", "1:7", "0:8", "none:10"));
}

TEST_F(PerfettoTest, GivesSamplesWithoutTimesOnesInTheirOrder) {
  const EventId clock = AddEvent("cpu-clock", "nanoseconds", EventKind::kClock);
  tables_.events[clock].period = 1000;
  tables_.events[clock].period_is_frequency = true;
  ASSERT_TRUE(Start().ok());
  const ThreadId app = AddThread(10, 10, "app", "app");
  const StackId stack = Stack({"main"});
  for (int i = 0; i < 3; ++i) Add(clock, app, stack, 1);
  std::vector<uint64_t> times;
  const protos::Trace trace = Result();
  for (const protos::TracePacket& packet : trace.packet()) {
    if (packet.has_perf_sample()) times.push_back(packet.timestamp());
  }
  EXPECT_THAT(times, ElementsAre(0, 1'000'000, 2'000'000));
}

TEST_F(PerfettoTest, KeepsTimesWithinWhatReadersAccept) {
  const EventId cycles = AddEvent("cycles");
  ASSERT_TRUE(Start().ok());
  const ThreadId app = AddThread(10, 10, "app", "app");
  Add(cycles, app, Stack({"main"}), 1, ~uint64_t{0});
  const protos::Trace trace = Result();
  for (const protos::TracePacket& packet : trace.packet()) {
    EXPECT_LE(packet.timestamp(), uint64_t{1} << 63);
    EXPECT_GE(static_cast<int64_t>(packet.timestamp()), 0);
  }
}

TEST_F(PerfettoTest, TracksOfCountersAreChargedToTheBudget) {
  const Budget& budget = Limit();
  const EventId faults = AddEvent("page-faults");
  ASSERT_TRUE(Start().ok());
  for (int32_t cpu = 0; cpu < 1000; ++cpu) {
    ASSERT_TRUE(
        emitter().OnCounter({std::nullopt, 1000, faults, kNoId, cpu, 1}).ok());
  }
  EXPECT_GT(budget.used(Budget::kMemory), 1000u * 100);
}

// A recording chooses which fields of a sample can be decoded.
TEST_F(PerfettoTest, FormsOfATracepointAreFoundAtOnce) {
  constexpr uint32_t kForms = 30'000;
  const EventId event = AddTracepoint("net", "rx");
  ASSERT_TRUE(Start().ok());
  const ThreadId app = AddThread(10, 10, "app", "app");
  std::vector<std::string> names;
  for (int i = 0; i < 16; ++i) names.push_back(absl::StrCat("field", i));
  Sample sample;
  sample.thread = app;
  sample.event = event;
  sample.cpu = 0;
  sample.stack = Stack({"sys_read"});
  auto add = [&](uint32_t first, uint32_t end) {
    for (uint32_t bits = first; bits < end; ++bits) {
      std::vector<Field> fields;
      for (size_t i = 0; i < names.size(); ++i) {
        if ((bits >> i & 1) != 0) fields.push_back({names[i], uint64_t{i}});
      }
      sample.time = 1000 + bits;
      sample.tracepoint = fields;
      ASSERT_TRUE(emitter().OnSample(sample).ok());
    }
  };
  // As many samples each, among a few forms and among all.
  const double few = CpuSecondsOf([&] {
    for (int i = 0; i < 100; ++i) add(1, 1 + kForms / 100);
  });
  add(1 + kForms / 100, 1 + kForms);
  const double all = CpuSecondsOf([&] { add(1, 1 + kForms); });
  // A search of all forms takes fifty times as long.
  EXPECT_LT(all, 10 * few);
  std::set<uint32_t> forms;
  size_t descriptions = 0;
  const protos::Trace trace = Result();
  for (const protos::TracePacket& packet : trace.packet()) {
    for (const auto& one : packet.ftrace_events().generic_event_descriptors()) {
      forms.insert(one.field_id());
      ++descriptions;
    }
  }
  EXPECT_EQ(forms.size(), kForms);
  EXPECT_EQ(descriptions, kForms);
}

TEST_F(PerfettoTest, StopsAddingStacksWhenTheBudgetIsExhausted) {
  Budget& budget = Limit();
  const EventId cycles = AddEvent("cycles");
  ASSERT_TRUE(Start().ok());
  const ThreadId app = AddThread(10, 10, "app", "app");
  budget.Spend(Budget::kWork, uint64_t{1} << 40);
  Add(cycles, app, Stack({"main"}), 1, 1000);
  int samples = 0;
  const protos::Trace trace = Result();
  for (const protos::TracePacket& packet : trace.packet()) {
    EXPECT_EQ(packet.interned_data().callstacks_size(), 0);
    if (!packet.has_perf_sample()) continue;
    ++samples;
    EXPECT_FALSE(packet.perf_sample().has_callstack_iid());
  }
  EXPECT_EQ(samples, 1);
  EXPECT_TRUE(diagnostics_.lossy());
}

}  // namespace
}  // namespace perf2x
