// SPDX-License-Identifier: Apache-2.0
#include "converter/profile_source/profile_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/profile_source/profile_maker.h"
#include "tests/profile_source/sample_lines.h"

namespace perf2x {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(ProfileSourceTest, WhatIsKnownOfTheInput) {
  class Info final : public Emitter {
   public:
    absl::Status Begin(const TraceInfo& info) override {
      info_ = info;
      return absl::OkStatus();
    }
    absl::Status OnSample(const Sample&) override { return absl::OkStatus(); }
    absl::Status Finish(const TraceSummary&) override {
      return absl::OkStatus();
    }
    TraceInfo info_;
  };
  const auto begin = [](int64_t time_nanos) {
    ProfileMaker maker;
    maker.Type("samples", "count");
    maker.Comment("host: web1");
    maker.Comment("host: web1");
    maker.profile().set_time_nanos(time_nanos);
    const auto profile = ReadBytes(maker.Bytes());
    TraceTables tables;
    Diagnostics unused;
    ProfileSource source(*profile, tables, nullptr, Budget::Unlimited(),
                         unused);
    TraceInfo known;
    known.input = "x.pb";
    known.recording_id = "42";
    known.recorded_at = 1000;
    Info info;
    EXPECT_TRUE(source.EmitSamples(known, info).ok());
    return info.info_;
  };
  const TraceInfo info = begin(0);
  EXPECT_EQ(info.input, "x.pb");
  EXPECT_EQ(info.recording_id, "42");
  EXPECT_EQ(info.hostname, "web1");
  EXPECT_EQ(info.recorded_at, 1000);
  EXPECT_EQ(begin(2000).recorded_at, 2000);
}

TEST(ProfileSourceTest, EventsOfPerf2x) {
  ProfileMaker maker;
  maker.Type("cycles_samples", "count").Type("cycles", "count");
  maker.Type("cpu-clock_samples", "count").Type("cpu-clock", "nanoseconds");
  const uint64_t app = maker.Mapping("/bin/app", 0x1000, 0x1000);
  const uint64_t f = maker.Location(app, 0x1010, {"inlined", "f"}, 7);
  pb::Sample* sample = maker.Sample({f}, {2, 100, 3, 5000});
  maker.Label(sample, "process", "app");
  maker.Label(sample, "thread", "worker");
  maker.Number(sample, "tid", 12, "tid");
  maker.Label(sample, "cgroup", "/x");
  EXPECT_THAT(
      Show(maker),
      ElementsAre("cycles 2 100 app/worker/12 inlined:7 f:7 cgroup=/x",
                  "cpu-clock 3 5000 app/worker/12 inlined:7 f:7 cgroup=/x"));
}

TEST(ProfileSourceTest, ALongNameIsNoPlaceholder) {
  const auto lacks_symbol = [](const std::string& file,
                               const std::string& function) {
    ProfileMaker maker;
    maker.Type("samples", "count");
    maker.Location(maker.Mapping(file, 0, 100), 1, {function});
    const auto profile = ReadBytes(maker.Bytes());
    EXPECT_TRUE(profile.ok()) << profile.status();
    TraceTables tables;
    return ProfileTrace(*profile, tables).lacks_symbols();
  };
  EXPECT_TRUE(lacks_symbol("/bin/app", "[app]"));
  EXPECT_TRUE(lacks_symbol("app", "[app]"));
  EXPECT_FALSE(lacks_symbol("/bin/my_app", "[app]"));
  EXPECT_TRUE(lacks_symbol("[jit]", "[code]"));
  EXPECT_FALSE(lacks_symbol("[jit]", "[" + std::string(5000, 'c') + "]"));
}

TEST(ProfileSourceTest, EventsOfGo) {
  ProfileMaker maker;
  maker.Type("inuse_objects", "count").Type("inuse_space", "bytes");
  maker.Type("goroutine", "count");
  const uint64_t app = maker.Mapping("/opt/server", 0x1000, 0x1000);
  maker.Sample({maker.Location(app, 0x1010, {"main.f"})}, {4, 4096, 9});
  EXPECT_THAT(Show(maker),
              ElementsAre("inuse_space 4 4096 server/server/0 main.f:0",
                          "goroutine 9 9 server/server/0 main.f:0"));
}

TEST(ProfileSourceTest, LocationsOfOneAddressAndOfNone) {
  ProfileMaker maker;
  maker.Type("samples", "count");
  const uint64_t app = maker.Mapping("/bin/app", 0x1000, 0x1000);
  const uint64_t a = maker.Location(app, 0x1010, {"a"});
  const uint64_t b = maker.Location(app, 0x1010, {"b"});
  const uint64_t bare = maker.Location(app, 0x1010, {});
  const uint64_t c = maker.Location(0, 0, {"c"});
  const uint64_t d = maker.Location(0, 0, {"d"});
  maker.Sample({a, b, bare, c, d}, {1});
  maker.Sample({}, {1});
  EXPECT_THAT(Show(maker),
              ElementsAre("samples 1 1 app/app/0 a:0 b:0 [app]:0 c:0 d:0",
                          "samples 1 1 app/app/0 [unknown]:0"));
}

// As merges of former versions wrote them.
TEST(ProfileSourceTest, EventsAreFoundByName) {
  ProfileMaker maker;
  maker.Type("cpu-clock", "nanoseconds").Type("cpu-clock_samples", "count");
  maker.Type("cycles", "count").Type("cycles_samples", "count");
  maker.Sample({maker.Location(0, 1, {"f"})}, {5000, 3, 100, 2});
  EXPECT_THAT(Show(maker), ElementsAre("cpu-clock 3 5000 profile/profile/0 f:0",
                                       "cycles 2 100 profile/profile/0 f:0"));
}

TEST(ProfileSourceTest, NegativeValuesAreNotShown) {
  ProfileMaker maker;
  maker.Type("samples", "count");
  const uint64_t f = maker.Location(0, 1, {"f"});
  maker.Sample({f}, {-5});
  maker.Sample({f}, {0});
  maker.Sample({f}, {5});
  Diagnostics diagnostics;
  EXPECT_THAT(Show(maker, Budget::Unlimited(), &diagnostics),
              ElementsAre("samples 5 5 profile/profile/0 f:0"));
  EXPECT_TRUE(diagnostics.lossy());
  ASSERT_EQ(diagnostics.entries().size(), 1u);
  EXPECT_EQ(diagnostics.entries().begin()->second.count, 1u);
}

// Selects the event "b", and sums the counts of both.
class Selector final : public SampleSelector {
 public:
  explicit Selector(const TraceTables& tables) : tables_(tables) {}
  bool needs_place() const override { return false; }
  bool needs_symbols() const override { return false; }
  void set_symbolizer(Symbolizer*) override {}
  uint32_t max_stack() const override { return 0; }
  uint32_t RankOfEvent(EventId event) override {
    return tables_.events.at(event).name == "b" ? 1 : kNoId;
  }
  bool Selects(const Candidate& sample) override {
    counts_.push_back(sample.count);
    return tables_.events[sample.event].name == "b";
  }
  absl::Status Check() const override { return absl::OkStatus(); }

  const TraceTables& tables_;
  std::vector<uint64_t> counts_;
};

TEST(ProfileSourceTest, ASelectorGetsTheNumberOfSamples) {
  ProfileMaker maker;
  maker.Type("a", "count").Type("b_samples", "count").Type("b", "nanoseconds");
  maker.Sample({maker.Location(0, 1, {"f"})}, {45, 7, 5000});
  const auto profile = ReadBytes(maker.Bytes());
  ASSERT_TRUE(profile.ok()) << profile.status();
  TraceTables tables;
  Diagnostics diagnostics;
  Selector selector(tables);
  ProfileSource source(*profile, tables, &selector, Budget::Unlimited(),
                       diagnostics);
  EXPECT_EQ(tables.events[0].selection_rank, kNoId);
  EXPECT_EQ(tables.events[1].selection_rank, 1);
  Notes notes(tables);
  ASSERT_TRUE(source.EmitSamples(TraceInfo(), notes).ok());
  EXPECT_THAT(selector.counts_, ElementsAre(45, 7));
  EXPECT_THAT(notes.lines_, ElementsAre("b 7 5000 profile/profile/0 f:0"));
}

TEST(ProfileSourceTest, ValuesAreWork) {
  ProfileMaker maker;
  for (int t = 0; t < 1000; ++t) maker.Type(absl::StrCat("t", t), "count");
  const uint64_t f = maker.Location(0, 1, {"f"});
  for (int i = 0; i < 100; ++i) {
    maker.Sample({f}, std::vector<int64_t>(1000, 1));
  }
  Budget budget({{{1 << 30, 1}, {1 << 18, 1}, {1 << 30, 1}}});
  Diagnostics diagnostics;
  EXPECT_LT(Show(maker, budget, &diagnostics).size(), 10'000u);
  EXPECT_TRUE(diagnostics.lossy());
}

// Emitters look at all frames of a stack at once.
TEST(ProfileSourceTest, FramesOfALargeStackAreMemory) {
  ProfileMaker maker;
  maker.Type("samples", "count");
  const uint64_t f = maker.Location(0, 1, {"f"});
  maker.Sample(std::vector<uint64_t>(300'000, f), {1});
  Budget enough({{{32 << 20, 0}, {1 << 30, 0}, {1 << 30, 0}}});
  enough.ReleaseReserve();
  {
    const auto profile = ReadBytes(maker.Bytes());
    ASSERT_TRUE(profile.ok()) << profile.status();
    TraceTables tables;
    Diagnostics diagnostics;
    ProfileSource source(*profile, tables, nullptr, enough, diagnostics);
    Notes notes(tables);
    ASSERT_TRUE(source.EmitSamples(TraceInfo(), notes).ok());
    EXPECT_EQ(notes.lines_.size(), 1u);
    // Only the tables are left: the stack's addresses.
    EXPECT_GT(enough.used(Budget::kMemory), 300'000u);
    EXPECT_LT(enough.used(Budget::kMemory), 8u << 20);
  }
  EXPECT_EQ(enough.used(Budget::kMemory), 0u);
  Budget little({{{8 << 20, 0}, {1 << 30, 0}, {1 << 30, 0}}});
  little.ReleaseReserve();
  Diagnostics diagnostics;
  EXPECT_EQ(Show(maker, little, &diagnostics).size(), 0u);
  EXPECT_TRUE(diagnostics.lossy());
}

TEST(ProfileSourceTest, FunctionsOfALocationThatAreLeftOutAreCounted) {
  ProfileMaker maker;
  maker.Type("samples", "count");
  maker.Sample({maker.Location(0, 1, std::vector<std::string>(1003, "f"))},
               {1});
  Diagnostics diagnostics;
  const std::string line =
      Show(maker, Budget::Unlimited(), &diagnostics).front();
  EXPECT_EQ(std::count(line.begin(), line.end(), ':'), 1000);
  const auto it = diagnostics.entries().find(
      "function beyond the first 1000 of a profile's location");
  ASSERT_NE(it, diagnostics.entries().end());
  EXPECT_EQ(it->second.count, 3u);
}

TEST(ProfileSourceTest, ASampleWithTooManyFunctionsIsSkipped) {
  ProfileMaker maker;
  maker.Type("samples", "count");
  const uint64_t small = maker.Location(0, 1, {"f"});
  const uint64_t large =
      maker.Location(0, 2, std::vector<std::string>(1025, "g"));
  maker.Sample(std::vector<uint64_t>(1024, large), {1});
  maker.Sample({small}, {2});
  Diagnostics diagnostics;
  EXPECT_THAT(Show(maker, Budget::Unlimited(), &diagnostics),
              ElementsAre(HasSubstr(" f:0")));
  const auto it = diagnostics.entries().find(
      "sample of the profile with more than a million functions");
  ASSERT_NE(it, diagnostics.entries().end());
  EXPECT_EQ(it->second.count, 1u);
}

TEST(ProfileSourceTest, ALongCommandLineIsCut) {
  class Info final : public Emitter {
   public:
    absl::Status Begin(const TraceInfo& info) override {
      words = info.command_line;
      return absl::OkStatus();
    }
    absl::Status OnSample(const Sample&) override { return absl::OkStatus(); }
    absl::Status Finish(const TraceSummary&) override {
      return absl::OkStatus();
    }
    std::vector<std::string> words;
  };
  ProfileMaker maker;
  maker.Type("samples", "count");
  maker.Comment("command: a b" + std::string(100'000, ' '));
  const auto profile = ReadBytes(maker.Bytes());
  ASSERT_TRUE(profile.ok()) << profile.status();
  TraceTables tables;
  Diagnostics diagnostics;
  ProfileSource source(*profile, tables, nullptr, Budget::Unlimited(),
                       diagnostics);
  Info info;
  ASSERT_TRUE(source.EmitSamples(TraceInfo(), info).ok());
  ASSERT_EQ(info.words.size(), 4096u);
  EXPECT_EQ(info.words[1], "b");
  EXPECT_TRUE(diagnostics.lossy());
}

// As they are written to another profile.
TEST(ProfileSourceTest, FramesOfAllLocationsHaveAllFunctions) {
  ProfileMaker maker;
  maker.Type("samples", "count");
  maker.Location(0, 1, std::vector<std::string>(1003, "f"));
  const auto profile = ReadBytes(maker.Bytes());
  ASSERT_TRUE(profile.ok()) << profile.status();
  TraceTables tables;
  ProfileTrace trace(*profile, tables);
  EXPECT_EQ(trace.skipped_functions(), 3u);
  trace.InternAllFrames();
  EXPECT_EQ(trace.skipped_functions(), 0u);
  EXPECT_EQ(tables.Lines(0).size(), 1003u);
}

TEST(ProfileSourceTest, FunctionsOfStacksAreWork) {
  ProfileMaker maker;
  maker.Type("samples", "count");
  const uint64_t f = maker.Location(0, 1, std::vector<std::string>(1000, "f"));
  for (int i = 0; i < 1000; ++i) {
    maker.Sample(std::vector<uint64_t>(20, f), {1});
  }
  Budget budget({{{1 << 30, 1}, {1 << 18, 1}, {1 << 30, 1}}});
  Diagnostics diagnostics;
  EXPECT_LT(Show(maker, budget, &diagnostics).size(), 20u);
  EXPECT_TRUE(diagnostics.lossy());
}

}  // namespace
}  // namespace perf2x
