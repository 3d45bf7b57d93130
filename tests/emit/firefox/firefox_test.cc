// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <rapidjson/prettywriter.h>
#include <rapidjson/stringbuffer.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "tests/emit/firefox/firefox_fixture.h"

namespace perf2x {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST_F(FirefoxTest, WritesTheExpectedProfile) {
  info_.input = "perf.data";
  info_.hostname = "box";
  info_.os_release = "6.1";
  info_.arch = "x86_64";
  info_.cpu_description = "A CPU";
  info_.perf_version = "6.1.1";
  info_.clock = "CLOCK_MONOTONIC";
  info_.command_line = {"perf", "record", "app"};
  info_.wall_clock_offset = 1'700'000'000'000'000'000;
  summary_.main_dso = app_;
  summary_.losses = {"2 samples were lost"};
  const EventId clock = AddEvent("cpu-clock", "nanoseconds", EventKind::kClock);
  tables_.events[clock].period = kMs;
  const EventId faults = AddEvent("page-faults");
  const ThreadId main = AddThread(10, 10, "app", "app");
  const ThreadId worker = AddThread(10, 11, "app", "worker");
  ASSERT_TRUE(Start().ok());
  Add(clock, main, Stack({"memcpy", "sort", "main"}), kMs, 5 * kMs);
  Add(clock, main, Stack({"sort", "main"}), kMs, 6 * kMs);
  Add(clock, worker, Stack({"?", "main"}), kMs, 6 * kMs + 1);
  Add(faults, main, Stack({"sys_read", "main"}), 1, 7 * kMs);
  Add(clock, main, Stack({"memcpy", "sort", "main"}), kMs, 9 * kMs);
  End();
  // One line for each value, so that differences can be read.
  rapidjson::StringBuffer buffer;
  rapidjson::PrettyWriter<rapidjson::StringBuffer> pretty(buffer);
  pretty.SetIndent(' ', 1);
  pretty.SetFormatOptions(rapidjson::kFormatSingleLineArray);
  profile_.Accept(pretty);
  const std::string text = std::string(buffer.GetString()) + "\n";
  const std::string path = "tests/emit/expected/firefox.json";
  if (std::getenv("UPDATE_GOLDENS") != nullptr) {
    std::ofstream(path, std::ios::binary) << text;
  }
  std::ifstream in(path, std::ios::binary);
  ASSERT_TRUE(in.good()) << path;
  EXPECT_EQ(text, std::string(std::istreambuf_iterator<char>(in), {}));
}

TEST_F(FirefoxTest, SamplesOfOtherEventsAreTracksOfTheirOwn) {
  const EventId faults = AddEvent("page-faults:u");
  const EventId cycles = AddEvent("cycles");
  tables_.events[faults].selection_rank = 2;
  tables_.events[cycles].selection_rank = 1;
  const ThreadId main = AddThread(1, 1, "app", "app");
  const ThreadId other = AddThread(1, 2, "app", "other");
  ASSERT_TRUE(Start().ok());
  Add(faults, main, Stack({"memcpy", "main"}), 1, 10 * kMs);
  Add(cycles, main, Stack({"sort"}), 500, 11 * kMs);
  Add(faults, other, Stack({"?"}), 1, 12 * kMs);
  End();
  EXPECT_EQ(Names(), "app, app (page-faults:u), other, other (page-faults:u)");
  EXPECT_THAT(SamplesOf(ThreadNamed("app")), ElementsAre("1 main;sort(int*)"));
  EXPECT_THAT(SamplesOf(ThreadNamed("app (page-faults:u)")),
              ElementsAre("0 main;memcpy"));
  EXPECT_THAT(SamplesOf(ThreadNamed("other")), IsEmpty());
  EXPECT_THAT(SamplesOf(ThreadNamed("other (page-faults:u)")),
              ElementsAre("2 [lib.so]"));
  EXPECT_THAT(MarkersOf(ThreadNamed("app (page-faults:u)")), IsEmpty());
  EXPECT_STREQ(ThreadNamed("other")["pid"].GetString(), "1");
  EXPECT_EQ(ThreadNamed("other")["tid"].GetInt(), 2);
  EXPECT_STREQ(ThreadNamed("app (page-faults:u)")["tid"].GetString(),
               "1 page-faults:u");
  EXPECT_TRUE(ThreadNamed("app")["isMainThread"].GetBool());
  EXPECT_FALSE(ThreadNamed("app (page-faults:u)")["isMainThread"].GetBool());
}

TEST_F(FirefoxTest, InlinedFunctionsAreFramesOfOneAddress) {
  const EventId cycles = AddEvent("cycles");
  const ThreadId main = AddThread(1, 1, "app", "app");
  ASSERT_TRUE(Start().ok());
  Add(cycles, main, Stack({"sort"}), 1, kMs);
  End();
  const Json& samples = ThreadNamed("app")["samples"];
  const Json& shared = profile_["shared"];
  const int leaf = Int(samples["stack"], 0);
  ASSERT_EQ(Int(shared["stackTable"]["prefixOffset"], leaf), 1);
  const Json& frames = shared["frameTable"];
  const int inner = Int(shared["stackTable"]["frame"], leaf);
  const int outer = Int(shared["stackTable"]["frame"], leaf - 1);
  EXPECT_EQ(Int(frames["flags"], inner), 1 | 2 | 4 | 8 | 16);
  EXPECT_EQ(Int(frames["flags"], outer), 2 | 4 | 8 | 16);
  EXPECT_EQ(Int(frames["line"], inner), 21);
  EXPECT_EQ(Int(frames["line"], outer), 7);
  for (const char* same : {"address", "lib", "nativeSymbol", "category"}) {
    EXPECT_EQ(Int(frames[same], inner), Int(frames[same], outer)) << same;
  }
  EXPECT_EQ(Int(frames["address"], inner), 0x200);
  const int symbol = Int(frames["nativeSymbol"], inner);
  EXPECT_EQ(Text(At(shared["nativeSymbols"]["name"], symbol)), "main");
  const Json& functions = shared["funcTable"];
  const int function = Int(frames["func"], inner);
  EXPECT_EQ(Int(functions["flags"], function), 4 | 8 | 16);
  EXPECT_EQ(Int(functions["lineNumber"], function), 20);
  EXPECT_EQ(Text(At(shared["sources"]["filename"],
                    Int(functions["source"], function))),
            "sort.h");
  const Json& lib = At(profile_["libs"], Int(frames["lib"], inner));
  EXPECT_STREQ(lib["path"].GetString(), "/opt/app");
  EXPECT_STREQ(lib["codeId"].GetString(), "ab");
  EXPECT_STREQ(lib["breakpadId"].GetString(),
               "000000AB0000000000000000000000000");
}

TEST_F(FirefoxTest, CategoriesFollowTheKindOfCode) {
  const EventId cycles = AddEvent("cycles");
  const ThreadId main = AddThread(1, 1, "app", "app");
  const std::pair<DsoKind, const char*> kinds[] = {
      {DsoKind::kVdso, "User/vDSO"},
      {DsoKind::kAnonymous, "User/Anonymous memory"},
      {DsoKind::kKernelModule, "Kernel/Module"},
      {DsoKind::kGenerated, "JIT/Other"},
      {DsoKind::kGuestKernel, "Virtualization/Guest kernel"},
      {DsoKind::kGuestUser, "Virtualization/Guest user"},
      {DsoKind::kHypervisor, "Virtualization/Hypervisor"},
      {DsoKind::kUnknown, "Other/Other"},
      {DsoKind::kMarker, "Other/Other"}};
  std::vector<std::string> names, expected = {"User/Other", "Kernel/Other"};
  for (const auto& [kind, category] : kinds) {
    Dso dso;
    dso.kind = kind;
    dso.pid = 1;
    dso.name = absl::StrCat("code", names.size());
    names.push_back(dso.name);
    AddFrame(dso.name, tables_.AddDso(dso), 16);
    expected.push_back(category);
  }
  Dso bpf;
  bpf.kind = DsoKind::kGenerated;
  bpf.name = bpf.symbol = "bpf_prog";
  AddFrame("bpf_prog", tables_.AddDso(bpf), 16);
  expected.push_back("Kernel/BPF");
  names.push_back("bpf_prog");
  // A perf map names it.
  Dso memory;
  memory.kind = DsoKind::kAnonymous;
  memory.name = "[anon]";
  AddFrame("mapped", tables_.AddDso(memory), 0x1010);
  expected.push_back("JIT/Other");
  names.push_back("mapped");
  ASSERT_TRUE(Start().ok());
  Add(cycles, main, Stack({"main"}), 1, kMs);
  Add(cycles, main, Stack({"sys_read"}), 1, kMs);
  for (const std::string& name : names) {
    Add(cycles, main, Stack({name}), 1, kMs);
  }
  End();
  const Json& categories = profile_["meta"]["categories"];
  const Json& frames = profile_["shared"]["frameTable"];
  std::vector<std::string> found;
  for (const int stack : Ints(ThreadNamed("app")["samples"]["stack"])) {
    const int frame = Int(profile_["shared"]["stackTable"]["frame"], stack);
    const Json& category = At(categories, Int(frames["category"], frame));
    found.push_back(absl::StrCat(
        category["name"].GetString(), "/",
        At(category["subcategories"], Int(frames["subcategory"], frame))
            .GetString()));
  }
  EXPECT_EQ(found, expected);
}

TEST_F(FirefoxTest, CodeWithoutAFileHasNoLibrary) {
  const EventId cycles = AddEvent("cycles");
  const ThreadId main = AddThread(1, 1, "app", "app");
  Dso jit;
  jit.kind = DsoKind::kGenerated;
  jit.pid = 1;
  jit.name = jit.symbol = "f";
  AddFrame("f", tables_.AddDso(jit), 16);
  jit.name = jit.symbol = "g";
  AddFrame("g", tables_.AddDso(jit), 32);
  // Addresses have 32 bits.
  AddFrame("far", lib_, uint64_t{1} << 33);
  ASSERT_TRUE(Start().ok());
  Add(cycles, main, Stack({"f", "g", "far"}), 1, kMs);
  End();
  const Json& shared = profile_["shared"];
  std::vector<std::string> resources;
  for (const int function : Ints(shared["frameTable"]["func"])) {
    resources.push_back(
        Text(At(shared["resourceTable"]["name"],
                Int(shared["funcTable"]["resource"], function))));
  }
  // The first frames are those of the fixture.
  EXPECT_THAT(resources,
              ElementsAre("app", "app", "app", "lib.so", "lib.so",
                          "[kernel.kallsyms]", "[jit]", "[jit]", "lib.so"));
  for (const int row : {6, 7, 8}) {
    EXPECT_EQ(Int(shared["frameTable"]["flags"], row), 4) << row;
    EXPECT_EQ(Int(shared["frameTable"]["address"], row), 0) << row;
  }
}

TEST_F(FirefoxTest, SleepsWeighTheirTimeFromTheirBeginning) {
  const EventId sleeps =
      AddEvent("offcpu-time", "nanoseconds", EventKind::kOffCpu);
  const ThreadId main = AddThread(1, 1, "app", "app");
  ASSERT_TRUE(Start().ok());
  Add(sleeps, main, Stack({"sys_read"}), 2 * kMs, 10 * kMs);
  Add(sleeps, main, Stack({"main"}), 3 * kMs, 20 * kMs);
  Add(sleeps, main, Stack({"memcpy"}), 500 * kMs);  // a sum, at no time
  End();
  const Json& samples = ThreadNamed("app")["samples"];
  EXPECT_THAT(SamplesOf(ThreadNamed("app")),
              ElementsAre("0 sys_read", "9 main", "9 memcpy"));
  EXPECT_THAT(Ints(samples["weight"]), ElementsAre(2, 3, 500));
  EXPECT_STREQ(samples["weightType"].GetString(), "tracing-ms");
  EXPECT_THAT(CpuTimes(ThreadNamed("app")), ElementsAre(0, 0, 0));
}

TEST_F(FirefoxTest, WeightsArePeriodsIfAskedFor) {
  const EventId cycles = AddEvent("cycles");
  const EventId clock = AddEvent("cpu-clock", "nanoseconds", EventKind::kClock);
  const ThreadId main = AddThread(1, 1, "app", "app");
  ASSERT_TRUE(Start("periods").ok());
  Add(cycles, main, Stack({"main"}), 1234, kMs);
  Add(cycles, main, Stack({"main"}), ~uint64_t{0}, kMs);
  Add(clock, main, Stack({"main"}), 2 * kMs, kMs);
  End();
  const Json& weight = ThreadNamed("app")["samples"]["weight"];
  EXPECT_EQ(At(weight, 0).GetInt64(), 1234);
  EXPECT_EQ(At(weight, 1).GetDouble(), 0x1p64);  // as near as a double is
  const Json& other = ThreadNamed("app (cpu-clock)")["samples"];
  EXPECT_EQ(Int(other["weight"], 0), 2);
  EXPECT_STREQ(other["weightType"].GetString(), "tracing-ms");
  EXPECT_FALSE(Start("both").ok());
}

TEST_F(FirefoxTest, SamplesWithoutTimesFollowEachOther) {
  const EventId clock = AddEvent("cpu-clock", "nanoseconds", EventKind::kClock);
  tables_.events[clock].period = 4 * kMs;
  const ThreadId main = AddThread(1, 1, "app", "app");
  ASSERT_TRUE(Start().ok());
  for (int i = 0; i < 3; ++i) Add(clock, main, Stack({"main"}), 4 * kMs);
  End();
  EXPECT_THAT(SamplesOf(ThreadNamed("app")),
              ElementsAre("0 main", "4 main", "8 main"));
  // The end is not in the profile.
  EXPECT_EQ(profile_["meta"]["profilingEndTime"].GetDouble(), 9);
}

TEST_F(FirefoxTest, TimesOfATableAscend) {
  const EventId cycles = AddEvent("cycles");
  const ThreadId main = AddThread(1, 1, "app", "app");
  ASSERT_TRUE(Start().ok());
  Add(cycles, main, Stack({"main"}), 1, 5 * kMs);
  Add(cycles, main, Stack({"sort"}), 1, 4 * kMs);  // late
  Add(cycles, main, Stack({"main"}), 1, ~uint64_t{0});
  End();
  EXPECT_THAT(Ints(ThreadNamed("app")["samples"]["stack"]),
              ElementsAre(0, 2, 0));
  double time = -1;
  for (const Json& delta :
       ThreadNamed("app")["samples"]["timeDeltas"].GetArray()) {
    EXPECT_GE(delta.GetDouble(), 0);
    time = delta.GetDouble();
  }
  EXPECT_NEAR(time, 1.8446744073709551e13, 1e7);
}

TEST_F(FirefoxTest, CpuTimeFollowsTheFrequencyWithoutSwitches) {
  const EventId cycles = AddEvent("cycles");
  tables_.events[cycles].period = 1000;
  tables_.events[cycles].period_is_frequency = true;
  const EventId misses = AddEvent("cache-misses");
  tables_.events[misses].period = 1000;
  const ThreadId main = AddThread(1, 1, "app", "app");
  ASSERT_TRUE(Start().ok());
  for (const uint64_t time : {1, 2, 12}) {
    Add(cycles, main, Stack({"main"}), 1, time * kMs);
    Add(misses, main, Stack({"main"}), 1, time * kMs);
  }
  End();
  EXPECT_EQ(profile_["meta"]["interval"].GetDouble(), 1);
  EXPECT_THAT(CpuTimes(ThreadNamed("app")), ElementsAre(0, kMs, kMs));
  EXPECT_FALSE(
      ThreadNamed("app (cache-misses)")["samples"].HasMember("threadCPUDelta"));
}

// Two samples of these periods, 1 ms apart.
class FirefoxCpuTimeTest : public FirefoxTest {
 protected:
  void Convert(uint64_t first, uint64_t second) {
    const EventId clock =
        AddEvent("cpu-clock", "nanoseconds", EventKind::kClock);
    const ThreadId main = AddThread(1, 1, "app", "app");
    ASSERT_TRUE(Start().ok());
    Add(clock, main, Stack({"main"}), first, kMs);
    Add(clock, main, Stack({"main"}), second, 2 * kMs);
    End();
  }
  std::string Unit() {
    return profile_["meta"]["sampleUnits"]["threadCPUDelta"].GetString();
  }
  auto Deltas() {
    return Ints(ThreadNamed("app")["samples"]["threadCPUDelta"]);
  }
};

TEST_F(FirefoxCpuTimeTest, IsInMicrosecondsIfNothingIsLost) {
  Convert(40'000, 1'000);
  EXPECT_EQ(Unit(), "µs");
  EXPECT_THAT(Deltas(), ElementsAre(40, 1));
}

TEST_F(FirefoxCpuTimeTest, HasItsNanoseconds) {
  Convert(40'000, 1'001);
  EXPECT_EQ(Unit(), "ns");
  EXPECT_THAT(Deltas(), ElementsAre(40'000, 1'001));
}

TEST_F(FirefoxTest, CpuTimeIsTheSumOfAClocksPeriodsWithoutSwitches) {
  const EventId clock = AddEvent("cpu-clock", "nanoseconds", EventKind::kClock);
  const ThreadId main = AddThread(1, 1, "app", "app");
  ASSERT_TRUE(Start().ok());
  // Clocks of two CPUs tick at different times.
  for (const uint64_t time : {10, 14, 15, 20}) {
    Add(clock, main, Stack({"main"}), 4 * kMs, time * kMs);
  }
  End();
  EXPECT_THAT(CpuTimes(ThreadNamed("app")),
              ElementsAre(4 * kMs, 4 * kMs, 4 * kMs, 4 * kMs));
}

TEST_F(FirefoxTest, HostileNamesAreText) {
  const std::string name("</script>\"\\\x00\x1b\xff", 14);
  const EventId cycles = AddEvent(name);
  const ThreadId main = AddThread(1, 1, name, name);
  info_.input = info_.hostname = name;
  ASSERT_TRUE(Start().ok());
  Add(cycles, main, Stack({"main"}), 1, 5 * kMs);
  End();
  const std::string text =
      profile_["threads"].GetArray()[0]["name"].GetString();
  EXPECT_THAT(text, HasSubstr("</script>\"\\"));
}

TEST_F(FirefoxTest, NothingToShowIsAProfileToo) {
  AddEvent("cycles");
  ASSERT_TRUE(Start().ok());
  End();
  // The profiler refuses a profile without rows.
  EXPECT_EQ(Names(), "CPUs");
  EXPECT_THAT(SamplesOf(ThreadNamed("CPUs")), IsEmpty());
  EXPECT_EQ(output().find("{\"meta\":{\"version\":"), 0u);
}

TEST_F(FirefoxTest, LeavesOutSamplesOnceTheBudgetIsExhausted) {
  const EventId cycles = AddEvent("cycles");
  const ThreadId main = AddThread(1, 1, "app", "app");
  Budget& budget = Limit();
  ASSERT_TRUE(Start().ok());
  const StackId stack = Stack({"main"});
  Add(cycles, main, stack, 1, kMs);
  budget.Spend(Budget::kMemory, uint64_t{1} << 40);
  for (int i = 0; i < 3; ++i) Add(cycles, main, stack, 1, kMs);
  End();
  EXPECT_EQ(ThreadNamed("app")["samples"]["length"].GetInt(), 1);
  ASSERT_FALSE(diagnostics_.entries().empty());
  EXPECT_THAT(diagnostics_.entries().begin()->first,
              HasSubstr("sample of the profile"));
}

TEST_F(FirefoxTest, ChargesWhatItKeeps) {
  const EventId cycles = AddEvent("cycles");
  Budget& budget = Limit();
  std::vector<ThreadId> threads;
  for (int i = 0; i < 1000; ++i) {
    threads.push_back(AddThread(i + 1, i + 1, "app", "app"));
  }
  ASSERT_TRUE(Start().ok());
  const StackId stack = Stack({"main"});
  for (int i = 0; i < 1'000'000; ++i) {
    Add(cycles, threads[static_cast<size_t>(i) % 1000], stack, 1,
        static_cast<uint64_t>(i) * 100'000);
  }
  // Eight bytes or so of a sample.
  EXPECT_GT(budget.used(Budget::kMemory), 6'000'000u);
  EXPECT_LT(budget.used(Budget::kMemory), 16'000'000u);
  ASSERT_TRUE(Finish().ok());
}

}  // namespace
}  // namespace perf2x
