// SPDX-License-Identifier: Apache-2.0
#include "converter/profile_source/profile_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/profile_source/profile_maker.h"

namespace perf2x {
namespace {

using testing::ElementsAre;

// Notes the samples as text.
class Notes final : public Emitter {
 public:
  explicit Notes(TraceTables& tables) : tables_(tables) {}
  EmitterRequirements requirements() const override { return {.fields = true}; }
  absl::Status Begin(const TraceInfo& info) override {
    info_ = info;
    return absl::OkStatus();
  }
  absl::Status OnSample(const Sample& sample) override {
    const Thread& thread = tables_.threads[sample.thread];
    std::string& line = lines_.emplace_back(
        absl::StrCat(tables_.events[sample.event].name, " ", sample.count, " ",
                     sample.period, " ", tables_.strings[thread.process_name],
                     "/", tables_.strings[thread.name], "/", thread.tid));
    std::vector<FrameId> frames;
    tables_.FramesOf(sample.stack, &frames);
    for (const FrameId frame : frames) {
      for (const Line& of : tables_.Lines(frame)) {
        absl::StrAppend(&line, " ",
                        tables_.strings[tables_.functions()[of.function].name],
                        ":", of.line);
      }
    }
    for (const Field& field : sample.fields) {
      absl::StrAppend(&line, " ", field.name);
    }
    return absl::OkStatus();
  }
  absl::Status OnThread(ThreadId, std::optional<uint64_t>) override {
    ++threads_;
    return absl::OkStatus();
  }
  absl::Status Finish(const TraceSummary&) override { return absl::OkStatus(); }

  TraceTables& tables_;
  TraceInfo info_;
  std::vector<std::string> lines_;
  int threads_ = 0;
};

std::vector<std::string> Show(const ProfileMaker& maker,
                              Budget& budget = Budget::Unlimited(),
                              Diagnostics* diagnostics = nullptr) {
  const auto profile = ReadBytes(maker.Bytes());
  EXPECT_TRUE(profile.ok()) << profile.status();
  TraceTables tables;
  Diagnostics unused;
  ProfileSource source(*profile, tables, nullptr, budget,
                       diagnostics == nullptr ? unused : *diagnostics);
  Notes notes(tables);
  EXPECT_TRUE(source.Run("x.pb", notes).ok());
  EXPECT_TRUE(source.Finish(notes).ok());
  return notes.lines_;
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
      ElementsAre("cycles 2 100 app/worker/12 inlined:7 f:7 cgroup",
                  "cpu-clock 3 5000 app/worker/12 inlined:7 f:7 cgroup"));
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

TEST(ProfileSourceTest, FunctionsOfStacksAreWork) {
  ProfileMaker maker;
  maker.Type("samples", "count");
  const uint64_t f = maker.Location(0, 1, std::vector<std::string>(1000, "f"));
  for (int i = 0; i < 1000; ++i) {
    maker.Sample(std::vector<uint64_t>(20, f), {1});
  }
  Budget budget({{{1 << 30, 1}, {1 << 18, 1}, {1 << 30, 1}}});
  Diagnostics diagnostics;
  EXPECT_LT(Show(maker, budget, &diagnostics).size(), 200u);
  EXPECT_TRUE(diagnostics.lossy());
}

}  // namespace
}  // namespace perf2x
