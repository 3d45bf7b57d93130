// SPDX-License-Identifier: Apache-2.0
#include "converter/stages/wall_clock.h"

#include <gtest/gtest.h>

#include <ctime>
#include <vector>

namespace perf2x {
namespace {

class NoFrames final : public FrameSource {
 public:
  void AppendPlaces(StackId, std::vector<FramePlace>*) override {}
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

// A recording of tracepoints alone.
TEST(WallClockTest, TheEventThatTellsWhereThreadsRunIsSearchedOnce) {
  constexpr EventId kEvents = 32'768;
  TraceTables tables;
  NoFrames frames;
  tables.set_frame_source(&frames);
  tables.events.resize(kEvents);
  for (Event& event : tables.events) event.kind = EventKind::kTracepoint;
  tables.threads.emplace_back();
  NoOutput output;
  Budget budget;
  WallClock stage(tables, output, {}, budget, nullptr);
  ASSERT_TRUE(stage.Begin({}).ok());
  const std::clock_t begin = std::clock();
  Sample sample;
  sample.event = kEvents - 1;
  ASSERT_TRUE(stage.OnSample(sample).ok());
  EXPECT_LT(std::clock() - begin, CLOCKS_PER_SEC / 2);
  ASSERT_TRUE(stage.Finish({}).ok());
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

}  // namespace
}  // namespace perf2x
