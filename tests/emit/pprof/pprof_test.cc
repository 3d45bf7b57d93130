// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>

#include <cstdlib>
#include <ctime>
#include <fstream>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "converter/emit/emitters.h"
#include "converter/emit/pprof/pprof_values.h"
#include "profile.pb.h"
#include "tests/support/small_trace.h"

namespace perf2x {
namespace {

namespace pb = perftools::profiles;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

class PprofTest : public SmallTrace {
 protected:
  absl::Status Start(const char* labels = "process,pid,thread,tid") {
    return Begin(PprofEmitterInfo(), {{"labels", labels}});
  }
  pb::Profile Result() {
    EXPECT_TRUE(Finish().ok());
    pb::Profile profile;
    EXPECT_TRUE(profile.ParseFromString(Gunzip(output())));
    return profile;
  }
  static std::string Text(const pb::Profile& p, int64_t string) {
    return p.string_table(static_cast<int>(string));
  }
  static std::vector<std::string> SampleTypes(const pb::Profile& p) {
    std::vector<std::string> out;
    for (const pb::ValueType& t : p.sample_type()) {
      out.push_back(Text(p, t.type()));
    }
    return out;
  }
  // "main;memcpy 1 5 process=app pid=10": frames root first, innermost
  // functions only, the values, the labels.
  static std::vector<std::string> Samples(const pb::Profile& p) {
    std::vector<std::string> out;
    for (const pb::Sample& sample : p.sample()) {
      std::string line;
      for (int i = sample.location_id_size() - 1; i >= 0; --i) {
        const auto& location = p.location(sample.location_id(i) - 1);
        const auto& function = p.function(location.line(0).function_id() - 1);
        absl::StrAppend(&line, Text(p, function.name()), i > 0 ? ";" : "");
      }
      for (int64_t v : sample.value()) absl::StrAppend(&line, " ", v);
      for (const pb::Label& l : sample.label()) {
        absl::StrAppend(&line, " ", Text(p, l.key()), "=");
        if (l.str() != 0) {
          absl::StrAppend(&line, Text(p, l.str()));
        } else {
          absl::StrAppend(&line, l.num());
        }
      }
      out.push_back(line);
    }
    return out;
  }
};

TEST_F(PprofTest, WritesTheExpectedProfile) {
  info_.hostname = "box";
  info_.os_release = "6.1";
  info_.arch = "x86_64";
  info_.command_line = {"perf", "record", "app"};
  info_.wall_clock_offset = 1'700'000'000'000'000'000;
  summary_.first_time = 1000;
  summary_.last_time = 5000;
  summary_.main_dso = app_;
  summary_.losses = {"3 records lost"};
  const EventId clock = AddEvent("cpu-clock", "nanoseconds");
  tables_.events[clock].period = 4000;
  tables_.events[clock].period_is_frequency = true;
  const EventId faults = AddEvent("page-faults");
  AddEvent("never");
  const ThreadId main = AddThread(10, 10, "app", "app");
  const ThreadId worker = AddThread(10, 11, "app", "worker");
  ASSERT_TRUE(Start().ok());
  const StackId read = Stack({"sys_read", "main"});
  Add(clock, main, read, 250000);
  Add(clock, worker, Stack({"memcpy", "?", "sort", "main"}), 250000);
  Add(faults, main, read, 7);
  Add(clock, main, read, 250000);
  std::string text;
  ASSERT_TRUE(google::protobuf::TextFormat::PrintToString(Result(), &text));

  const std::string path = "tests/emit/expected/pprof.textproto";
  if (std::getenv("UPDATE_GOLDENS") != nullptr) std::ofstream(path) << text;
  std::ostringstream expected;
  expected << std::ifstream(path).rdbuf();
  EXPECT_EQ(text, expected.str());
}

// One sample a pair of places, summed over samples and events.
TEST_F(PprofTest, BranchesStandForTheSamplesThatRecordedThem) {
  const EventId cycles = AddEvent("cycles");
  const ThreadId thread = AddThread(10, 10, "app", "app");
  ASSERT_TRUE(
      Begin(PprofEmitterInfo(), {{"labels", "pid"}, {"branches", "true"}})
          .ok());
  EXPECT_TRUE(emitter().requirements().branches);
  EXPECT_FALSE(emitter().requirements().only_sums);
  Branch call{.stack = Stack({"memcpy", "main"}),
              .mispredicted = true,
              .cycles = 12,
              .details = {}};
  const Branch back{.stack = Stack({"main", "memcpy"}),
                    .mispredicted = false,
                    .cycles = 30,
                    .details = {}};
  Sample sample;
  sample.event = cycles;
  sample.thread = thread;
  sample.stack = Stack({"main"});
  const std::vector<Branch> first = {back, call};
  sample.branches = first;
  ASSERT_TRUE(emitter().OnSample(sample).ok());
  call.mispredicted = false;
  const std::vector<Branch> second = {call};
  sample.branches = second;
  ASSERT_TRUE(emitter().OnSample(sample).ok());
  const pb::Profile p = Result();
  ASSERT_EQ(p.sample_type_size(), 3);
  EXPECT_EQ(Text(p, p.sample_type(0).type()), "branches");
  EXPECT_EQ(Text(p, p.sample_type(1).type()), "mispredicted");
  EXPECT_EQ(Text(p, p.sample_type(2).type()), "cycles");
  EXPECT_EQ(Text(p, p.default_sample_type()), "branches");
  EXPECT_THAT(Samples(p), UnorderedElementsAre("main;memcpy 2 1 24 pid=10",
                                               "memcpy;main 1 0 30 pid=10"));
}

TEST_F(PprofTest, MainBinaryComesFirstAndFlagsAreTrue) {
  const EventId e = AddEvent("cycles");
  const ThreadId t = AddThread(10, 10, "app", "app");
  summary_.main_dso = app_;
  ASSERT_TRUE(Start().ok());
  Add(e, t, Stack({"memcpy", "?", "main"}));
  const pb::Profile p = Result();
  ASSERT_GE(p.mapping_size(), 2);
  EXPECT_EQ(Text(p, p.mapping(0).filename()), "/opt/app");
  EXPECT_EQ(Text(p, p.mapping(0).build_id()), "ab");
  EXPECT_TRUE(p.mapping(0).has_functions());
  EXPECT_TRUE(p.mapping(0).has_line_numbers());
  EXPECT_TRUE(p.mapping(0).has_inline_frames());
  // One of its frames has a placeholder's name, the other has none of a file.
  EXPECT_EQ(Text(p, p.mapping(1).filename()), "/opt/lib.so");
  EXPECT_TRUE(p.mapping(1).has_functions());
  EXPECT_FALSE(p.mapping(1).has_filenames());
  for (const pb::Location& l : p.location()) {
    const pb::Mapping& m = p.mapping(static_cast<int>(l.mapping_id()) - 1);
    EXPECT_GE(l.address(), m.memory_start());
    EXPECT_LT(l.address(), m.memory_limit());
  }
}

TEST_F(PprofTest, DefaultTypeIsTheFirstEventWithSamples) {
  AddEvent("dummy:HG", "count", EventKind::kDummy);
  const EventId e = AddEvent("cycles");
  const ThreadId t = AddThread(10, 10, "app", "app");
  ASSERT_TRUE(Start().ok());
  Add(e, t, Stack({"main"}));
  const pb::Profile p = Result();
  EXPECT_EQ(Text(p, p.default_sample_type()), "cycles");
  ASSERT_EQ(p.sample_type_size(), 2);
  EXPECT_EQ(Text(p, p.sample_type(0).type()), "cycles_samples");
}

TEST_F(PprofTest, EventsOfOneNameAreToldApart) {
  const EventId first = AddEvent("cycles");
  const EventId second = AddEvent("cycles");
  const ThreadId t = AddThread(10, 10, "app", "app");
  ASSERT_TRUE(Start("none").ok());
  Add(first, t, Stack({"main"}));
  Add(second, t, Stack({"main"}));
  const pb::Profile p = Result();
  EXPECT_THAT(SampleTypes(p), ElementsAre("cycles_samples", "cycles",
                                          "cycles#2_samples", "cycles#2"));
}

// Each of the two has what ran on one kind of core only.
TEST_F(PprofTest, EventsOfAHybridProcessorHaveASum) {
  const EventId atom = AddEvent("cpu_atom/cycles:Pu/");
  const EventId core = AddEvent("cpu_core/cycles:Pu/");
  const EventId misses = AddEvent("cpu_core/cache-misses/");
  const ThreadId t = AddThread(10, 10, "app", "app");
  ASSERT_TRUE(Start("none").ok());
  const StackId main = Stack({"main"});
  Add(atom, t, main, 5);
  Add(core, t, main, 70);
  Add(core, t, main, 70);
  Add(misses, t, main, 3);
  Add(atom, t, Stack({"memcpy", "main"}), ~uint64_t{0});
  const pb::Profile p = Result();
  EXPECT_THAT(
      SampleTypes(p),
      ElementsAre("cpu_atom/cycles:Pu/_samples", "cpu_atom/cycles:Pu/",
                  "cpu_core/cycles:Pu/_samples", "cpu_core/cycles:Pu/",
                  "cpu_core/cache-misses/_samples", "cpu_core/cache-misses/",
                  "cycles:Pu_samples", "cycles:Pu"));
  EXPECT_EQ(Text(p, p.default_sample_type()), "cycles:Pu");
  EXPECT_THAT(Samples(p), UnorderedElementsAre(
                              "main 1 5 2 140 1 3 3 145",
                              "main;memcpy 1 9223372036854775807 0 0 0 0 1 "
                              "9223372036854775807"));
}

TEST_F(PprofTest, SumsEqualStacksOfSeveralLayouts) {
  const EventId e = AddEvent("cycles");
  const ThreadId t = AddThread(10, 10, "app", "app");
  const ThreadId other = AddThread(12, 12, "app", "app");
  ASSERT_TRUE(Start().ok());
  Add(e, t, Stack({"main"}, 0), 1);
  Add(e, t, Stack({"memcpy", "main"}, 0), 2);
  Add(e, t, Stack({"main"}, 1), 4);
  Add(e, other, Stack({"main"}, 2), 8);
  EXPECT_THAT(Samples(Result()),
              UnorderedElementsAre(
                  "main 2 5 process=app pid=10 thread=app tid=10",
                  "main;memcpy 1 2 process=app pid=10 thread=app tid=10",
                  "main 1 8 process=app pid=12 thread=app tid=12"));
}

// The first two samples have one stack, of which the second one's labels go
// with one address space only.
TEST_F(PprofTest, LeavesWhatHasOneLayoutWhereItIs) {
  const EventId e = AddEvent("cycles");
  const ThreadId t = AddThread(10, 10, "app", "app");
  const ThreadId other = AddThread(10, 11, "app", "app");
  ASSERT_TRUE(Start("tid").ok());
  const StackId main = Stack({"main"}, 0);
  Add(e, t, main, 1);
  Add(e, other, main, 2);
  Add(e, t, Stack({"main"}, 1), 4);
  Add(e, t, Stack({"memcpy", "main"}, 1), 8);
  EXPECT_THAT(Samples(Result()),
              UnorderedElementsAre("main 2 5 tid=10", "main 1 2 tid=11",
                                   "main;memcpy 1 8 tid=10"));
}

TEST_F(PprofTest, WithoutLabelsProcessesAreOne) {
  const EventId e = AddEvent("cycles");
  const ThreadId t = AddThread(10, 10, "app", "app");
  const ThreadId other = AddThread(12, 12, "app", "app");
  ASSERT_TRUE(Start("none").ok());
  EXPECT_TRUE(emitter().requirements().only_sums);
  Add(e, t, Stack({"main"}, 0), 1);
  Add(e, other, Stack({"main"}, 2), 8);
  EXPECT_THAT(Samples(Result()), ElementsAre("main 2 9"));
}

TEST_F(PprofTest, LabelsOfSamples) {
  const EventId e = AddEvent("cycles");
  const ThreadId t = AddThread(0, 0, "swapper", "swapper");
  ASSERT_TRUE(Start("tid,cpu,cpumode,weight,data_src").ok());
  EXPECT_TRUE(emitter().requirements().fields);
  EXPECT_FALSE(emitter().requirements().only_sums);
  const std::vector<Field> fields = {{"weight", uint64_t{3}},
                                     {"data_src", absl::string_view("L1 hit")}};
  Sample sample;
  sample.event = e;
  sample.thread = t;
  sample.stack = Stack({"main"});
  sample.cpu = 2;
  sample.mode = CpuMode::kKernel;
  sample.fields = fields;
  ASSERT_TRUE(emitter().OnSample(sample).ok());
  const pb::Profile p = Result();
  EXPECT_THAT(Samples(p),
              ElementsAre("main 1 1 tid=0 cpu=2 cpumode=kernel weight=3 "
                          "data_src=L1 hit"));
  // Without a unit pprof would drop the 0.
  EXPECT_NE(p.sample(0).label(0).num_unit(), 0);
}

TEST_F(PprofTest, NamesAWrongLabel) {
  const absl::Status status = Start("pid,colour");
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("\"colour\""), HasSubstr("cpumode")));
}

TEST_F(PprofTest, ManyThreadsOnOneStackAndSeveralEvents) {
  const EventId a = AddEvent("a");
  const EventId b = AddEvent("b");
  ASSERT_TRUE(Start("tid").ok());
  const StackId stack = Stack({"main"});
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 100; ++i) {
      if (round == 0) AddThread(1, i, "app", "app");
      Add(a, static_cast<ThreadId>(i), stack, 2);
      Add(b, static_cast<ThreadId>(i), stack, 3);
    }
  }
  const std::vector<std::string> samples = Samples(Result());
  ASSERT_EQ(samples.size(), 100);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(samples[i], absl::StrCat("main 2 4 2 6 tid=", i));
  }
}

TEST_F(PprofTest, SumsStopAtTheLargestNumber) {
  const EventId e = AddEvent("cycles");
  AddThread(1, 1, "app", "app");
  ASSERT_TRUE(Start("none").ok());
  const StackId stack = Stack({"main"});
  Add(e, 0, stack, ~uint64_t{0});
  Add(e, 0, stack, 5);
  EXPECT_THAT(Samples(Result()), ElementsAre("main 2 9223372036854775807"));
}

TEST_F(PprofTest, NoSamplesGiveAValidProfile) {
  AddEvent("cycles");
  ASSERT_TRUE(Start().ok());
  const pb::Profile p = Result();
  EXPECT_EQ(p.sample_size(), 0);
  EXPECT_EQ(p.sample_type_size(), 2);
  EXPECT_EQ(Text(p, 0), "");
}

TEST_F(PprofTest, ASumIsNamedApartFromAnEventOfItsName) {
  for (const char* name : {"cpu_atom/x/", "cpu_core/x/", "x"}) {
    AddEvent(name);
  }
  ASSERT_TRUE(Start().ok());
  EXPECT_EQ(SampleTypes(Result()).back(), "x#sum");
}

// As many events as a recording may have, each of one core only: without sums.
TEST_F(PprofTest, ManyEventsOfOneCore) {
  constexpr int kMany = 32'768;
  for (int i = 0; i < kMany; ++i) AddEvent(absl::StrCat("cpu_core/x", i, "/"));
  const PprofValues values(tables_.events, {});
  EXPECT_EQ(values.types().size(), size_t{kMany});
}

// With this label, each sample has a set of labels of its own.
TEST_F(PprofTest, SetsOfLabelsAreChargedToTheBudget) {
  const Budget& budget = Limit();
  const EventId e = AddEvent("cycles");
  const ThreadId t = AddThread(10, 10, "app", "app");
  ASSERT_TRUE(Start("time").ok());
  const StackId main = Stack({"main"});
  constexpr uint64_t kSamples = 10'000;
  for (uint64_t i = 0; i < kSamples; ++i) Add(e, t, main, 1, i);
  EXPECT_GT(budget.used(Budget::kMemory), kSamples * 100);
}

// Samples of two events are one sample of the profile.
TEST_F(PprofTest, SamplesThatTheBudgetLeavesOutAreCounted) {
  Budget& budget = Limit({{{1000, 0}, {1000, 0}, {1 << 20, 0}}});
  const EventId cycles = AddEvent("cycles"), faults = AddEvent("faults");
  const ThreadId t = AddThread(10, 10, "app", "app");
  ASSERT_TRUE(Start().ok());
  const StackId main = Stack({"main"});
  Add(cycles, t, main, 1);
  Add(faults, t, main, 1);
  budget.Spend(Budget::kWork, 10'000);
  EXPECT_EQ(Result().sample_size(), 0);
  ASSERT_EQ(diagnostics_.entries().size(), 1u);
  const auto& [what, entry] = *diagnostics_.entries().begin();
  EXPECT_THAT(what, HasSubstr("sample of the profile left out: the work"));
  EXPECT_EQ(entry.count, 1u);
}

}  // namespace
}  // namespace perf2x
