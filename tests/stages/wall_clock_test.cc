// SPDX-License-Identifier: Apache-2.0
#include "converter/stages/wall_clock.h"

#include <gtest/gtest.h>

#include <ctime>

namespace perf2x {
namespace {

class NoFrames final : public FrameSource {
 public:
  void AppendPlaces(StackId, std::vector<FramePlace>*) override {}
};

class NoOutput final : public Emitter {
 public:
  absl::Status Begin(const TraceInfo&) override { return absl::OkStatus(); }
  absl::Status OnSample(const Sample&) override { return absl::OkStatus(); }
  absl::Status OnThread(ThreadId, std::optional<uint64_t>) override {
    return absl::OkStatus();
  }
  absl::Status Finish(const TraceSummary&) override { return absl::OkStatus(); }
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

}  // namespace
}  // namespace perf2x
