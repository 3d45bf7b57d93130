// SPDX-License-Identifier: Apache-2.0
#include "converter/stages/wall_clock.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/cpu_time.h"

namespace perf2x {
namespace {

class NoFrames final : public FrameSource {
 public:
  void AppendPlaces(StackId, FramePlaces*) override {}
};

class NoOutput final : public Emitter {
 public:
  absl::Status Begin(const TraceInfo&) override { return absl::OkStatus(); }
  absl::Status OnSample(const Sample& sample) override {
    periods.push_back(sample.period);
    return absl::OkStatus();
  }
  absl::Status Finish(const TraceSummary&) override { return absl::OkStatus(); }

  std::vector<uint64_t> periods;
};

// As pprof: requests only sums.
class OnlySums final : public Emitter {
 public:
  EmitterRequirements requirements() const override {
    return {.only_sums = true};
  }
  absl::Status Begin(const TraceInfo&) override { return absl::OkStatus(); }
  absl::Status OnSample(const Sample& sample) override {
    sums.push_back({sample.event, sample.period, sample.count});
    return absl::OkStatus();
  }
  absl::Status Finish(const TraceSummary&) override { return absl::OkStatus(); }

  struct Sum {
    EventId event;
    uint64_t period, count;
    friend bool operator==(const Sum&, const Sum&) = default;
  };
  std::vector<Sum> sums;
};

// A recording of tracepoints alone.
TEST(WallClockTest, TheEventThatTellsWhereThreadsRunIsSearchedOnce) {
  constexpr EventId kEvents = 32'768;
  TraceTables tables;
  NoFrames frames;
  tables.set_frame_source(&frames);
  const double making = CpuSecondsOf([&] {
    tables.events.resize(kEvents);
    for (Event& event : tables.events) event.kind = EventKind::kTracepoint;
  });
  tables.threads.push_back({});
  NoOutput output;
  Budget budget;
  WallClock stage(tables, output, {}, budget, nullptr);
  ASSERT_TRUE(stage.Begin({}).ok());
  Sample sample;
  sample.event = kEvents - 1;
  const double seconds =
      CpuSecondsOf([&] { ASSERT_TRUE(stage.OnSample(sample).ok()); });
  // A search for each event takes hundreds of times as long as making them.
  EXPECT_LT(seconds, 20 * making);
  ASSERT_TRUE(stage.Finish({}).ok());
}

// As of `perf record -e instructions` without times: nothing is known of them.
// The second thread is not known either.
TEST(WallClockTest, CountsSamplesThatTellNoTime) {
  TraceTables tables;
  NoFrames frames;
  tables.set_frame_source(&frames);
  tables.events.emplace_back();
  tables.threads.push_back({.pid = 7, .tid = 7});
  tables.threads.push_back({.pid = -1, .tid = -1});
  NoOutput output;
  Budget budget;
  Diagnostics diagnostics;
  WallClock stage(tables, output, {}, budget, &diagnostics);
  ASSERT_TRUE(stage.Begin({}).ok());
  Sample sample;
  ASSERT_TRUE(stage.OnSample(sample).ok());
  sample.thread = 1;
  ASSERT_TRUE(stage.OnSample(sample).ok());
  ASSERT_TRUE(stage.Finish({}).ok());
  EXPECT_TRUE(diagnostics.lossy());
  const auto count = [&](const char* what) {
    const auto it = diagnostics.entries().find(what);
    return it == diagnostics.entries().end() ? 0 : it->second.count;
  };
  EXPECT_EQ(count("sample with neither a time nor a period that is one, which "
                  "--wall-clock needs"),
            2u);
  EXPECT_EQ(count("sample without a thread, which --wall-clock needs"), 1u);
}

// As simpleperf writes mappings of JIT'd code: with the time of its file, hours
// before the recording.
TEST(WallClockTest, AnEarlyNameOrMappingBeginsNoLife) {
  TraceTables tables;
  NoFrames frames;
  tables.set_frame_source(&frames);
  tables.threads.push_back({.pid = 7, .tid = 7});
  NoOutput output;
  Budget budget;
  WallClock stage(tables, output, {}, budget, nullptr);
  ASSERT_TRUE(stage.Begin({}).ok());
  ASSERT_TRUE(stage.OnThread(0, 1'000).ok());
  ASSERT_TRUE(stage.OnMap({.time = 2'000, .thread = 0, .dso = 0}).ok());
  Switch event;
  event.time = 70'000'000;
  ASSERT_TRUE(stage.OnSwitch(event).ok());
  event.time = 70'000'300;
  event.out = true;
  ASSERT_TRUE(stage.OnSwitch(event).ok());
  TraceSummary summary;
  summary.first_time = 1'000;
  summary.last_time = 70'000'300;
  ASSERT_TRUE(stage.Finish(summary).ok());
  // As wall and as cpu.
  EXPECT_EQ(output.periods, (std::vector<uint64_t>{300, 300}));
}

// The recording lasts longer than what is selected of it.
TEST(WallClockTest, LivesEndWithTheTimeOfTheFilter) {
  TraceTables tables;
  NoFrames frames;
  tables.set_frame_source(&frames);
  tables.threads.push_back({.pid = 7, .tid = 7});
  NoOutput output;
  Budget budget;
  FilterOptions options;
  options.time.spans = {{100, 200}, {500, 600}};
  SampleFilter filter(options, tables, budget);
  WallClock stage(tables, output, {.filter = &filter}, budget, nullptr);
  ASSERT_TRUE(stage.Begin({}).ok());
  const auto switched = [&](uint64_t time, bool out) {
    Switch event;
    event.time = time;
    event.out = out;
    ASSERT_TRUE(stage.OnSwitch(event).ok());
  };
  switched(100, false);
  switched(130, true);
  switched(190, false);
  switched(550, true);  // what was before 500 is not known
  switched(570, false);
  TraceSummary summary;
  summary.last_time = 10'000;
  ASSERT_TRUE(stage.Finish(summary).ok());
  // Each as wall and as cpu or offcpu; the last as wall alone.
  EXPECT_EQ(output.periods,
            (std::vector<uint64_t>{30, 30, 60, 60, 20, 20, 30, 30, 360}));
}

// One thread is switched in and out in turn.
class WallClockSumsTest : public testing::Test {
 protected:
  WallClockSumsTest() {
    tables_.set_frame_source(&frames_);
    tables_.threads.push_back({.pid = 7, .tid = 7});
  }
  void Switched(uint64_t time, bool out) {
    Switch event;
    event.time = time;
    event.out = out;
    ASSERT_TRUE(stage_.OnSwitch(event).ok());
  }
  void Finish(uint64_t time) {
    TraceSummary summary;
    summary.last_time = time;
    ASSERT_TRUE(stage_.Finish(summary).ok());
  }

  static constexpr EventId kWall = 0, kCpu = 1, kOffCpu = 2;
  using Sums = std::vector<OnlySums::Sum>;
  TraceTables tables_;
  NoFrames frames_;
  OnlySums output_;
  Budget budget_;
  WallClock stage_{tables_, output_, {}, budget_, nullptr};
};

TEST_F(WallClockSumsTest, SumsUpStretchesThatDifferOnlyInTheirTimes) {
  EXPECT_FALSE(stage_.requirements().only_sums);
  ASSERT_TRUE(stage_.Begin({}).ok());
  Switched(1'000, false);
  Switched(1'100, true);
  Switched(1'200, false);
  Switched(1'300, true);
  EXPECT_TRUE(output_.sums.empty());
  Finish(1'350);
  // Two runs of 100 ns, a wait of 100 ns and one of 50 ns.
  EXPECT_EQ(output_.sums, (Sums{{kWall, 200, 2},
                                {kCpu, 200, 2},
                                {kWall, 150, 2},
                                {kOffCpu, 150, 2}}));
}

TEST_F(WallClockSumsTest, EmitsSampledRunsAtOnce) {
  ASSERT_TRUE(stage_.Begin({}).ok());
  tables_.events.push_back({.name = "clock", .kind = EventKind::kClock});
  const std::vector<uint8_t> chain(16);
  Sample sample;
  sample.event = 3;
  sample.stack = tables_.stacks.Intern(StackTable::HashOf(0, chain), 0, chain,
                                       /*stable=*/false);
  Switched(1'000, false);
  sample.time = 1'010;
  ASSERT_TRUE(stage_.OnSample(sample).ok());
  tables_.threads.push_back({.pid = 7, .tid = 7});  // a new name
  sample.thread = 1;
  for (const uint64_t time : {1'030, 1'060}) {
    sample.time = time;
    ASSERT_TRUE(stage_.OnSample(sample).ok());
  }
  const Sums runs = {{kWall, 10, 1}, {kCpu, 10, 1},  {kWall, 20, 1},
                     {kCpu, 20, 1},  {kWall, 30, 1}, {kCpu, 30, 1}};
  EXPECT_EQ(output_.sums, runs);
  Finish(1'060);
  EXPECT_EQ(output_.sums, runs);
}

TEST_F(WallClockSumsTest, AddsNoSumsOnceTheBudgetIsExhausted) {
  ASSERT_TRUE(stage_.Begin({}).ok());
  Switched(1'000, false);
  Switched(1'100, true);  // a sum of runs
  budget_.Spend(Budget::kMemory, uint64_t{1} << 40);
  Switched(1'200, false);
  EXPECT_EQ(output_.sums, (Sums{{kWall, 100, 1}, {kOffCpu, 100, 1}}));
  Switched(1'350, true);
  Finish(1'360);
  EXPECT_EQ(output_.sums, (Sums{{kWall, 100, 1},
                                {kOffCpu, 100, 1},
                                {kWall, 10, 1},
                                {kOffCpu, 10, 1},
                                {kWall, 250, 2},
                                {kCpu, 250, 2}}));
}

// Each run and each wait has a stack of its own.
TEST_F(WallClockSumsTest, ChargesTheMemoryOfSumsUntilTheyAreEmitted) {
  ASSERT_TRUE(stage_.Begin({}).ok());
  constexpr uint8_t kMany = 100;  // the last batches are charged late
  Switch event;
  event.time = 1'000;
  std::vector<uint8_t> chain(32);
  for (chain[0] = 0; chain[0] < kMany; ++chain[0]) {
    for (chain[8] = 0; chain[8] < kMany; ++chain[8]) {
      event.out = false;
      ++*event.time;
      ASSERT_TRUE(stage_.OnSwitch(event).ok());
      event.out = true;
      ++*event.time;
      event.stack = tables_.stacks.Intern(StackTable::HashOf(0, chain), 0,
                                          chain, /*stable=*/false);
      ASSERT_TRUE(stage_.OnSwitch(event).ok());
    }
  }
  const uint64_t used = budget_.used(Budget::kMemory);
  EXPECT_TRUE(output_.sums.empty());
  Finish(*event.time + 1);
  // Of 20,000 sums of 32 bytes each, all but the last some thousand.
  EXPECT_LT(budget_.used(Budget::kMemory) + 400'000, used);
  EXPECT_EQ(output_.sums.size(), 4u * kMany * kMany);
}

}  // namespace
}  // namespace perf2x
