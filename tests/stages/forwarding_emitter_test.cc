// SPDX-License-Identifier: Apache-2.0
#include "converter/stages/forwarding_emitter.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/recording_emitter.h"

namespace perf2x {
namespace {

class Stage final : public ForwardingEmitter {
 public:
  explicit Stage(Emitter& to) : ForwardingEmitter(to) {}
};

// Calls every method of Emitter.
std::vector<std::string> CallAll(Emitter& emitter, RecordingEmitter& end) {
  EXPECT_TRUE(emitter.Begin({}).ok());
  EXPECT_TRUE(emitter.OnSample({}).ok());
  EXPECT_TRUE(emitter.OnThread(0, 1).ok());
  EXPECT_TRUE(emitter.OnFork({.time = 2, .parent = 0, .child = 0}).ok());
  EXPECT_TRUE(emitter.OnExec({.time = 3, .thread = 0}).ok());
  EXPECT_TRUE(emitter.OnExit({.time = 4, .thread = 0}).ok());
  EXPECT_TRUE(emitter.OnMap({.time = 5, .thread = 0, .dso = 0}).ok());
  EXPECT_TRUE(emitter.OnSwitch({}).ok());
  EXPECT_TRUE(emitter.OnWakeup({.time = 7, .waker = 0, .woken = 0}).ok());
  EXPECT_TRUE(emitter.OnCall({.time = 8, .thread = 0, .depth = 1}).ok());
  EXPECT_TRUE(emitter.OnCounter({}).ok());
  EXPECT_TRUE(emitter.OnLost({.time = 9, .count = 1}).ok());
  EXPECT_TRUE(emitter.OnAuxGap({}).ok());
  EXPECT_TRUE(emitter.OnThrottle({.time = 11, .event = 0}).ok());
  EXPECT_TRUE(emitter.OnRecord({}).ok());
  EXPECT_TRUE(emitter.Finish({}).ok());
  EXPECT_TRUE(emitter.OnAdvice({}).ok());
  return end.Take();
}

TEST(ForwardingEmitterTest, ForwardsEveryCall) {
  TraceTables tables;
  tables.threads.push_back({.pid = 1, .tid = 1});
  tables.events.push_back({.name = "cycles"});
  tables.AddDso({});
  RecordingEmitter end(tables, {.counters = true, .switches = true});
  Stage stage(end);
  EXPECT_TRUE(stage.requirements().counters);
  EXPECT_TRUE(stage.requirements().switches);
  const std::vector<std::string> direct = CallAll(end, end);
  EXPECT_EQ(direct.size(), 16u);
  EXPECT_EQ(CallAll(stage, end), direct);
}

TEST(ForwardingEmitterTest, ErrorsAreTheOtherEmitters) {
  class Full final : public Emitter {
   public:
    absl::Status Begin(const TraceInfo&) override { return Error(); }
    absl::Status OnSample(const Sample&) override { return Error(); }
    absl::Status Finish(const TraceSummary&) override { return Error(); }
    absl::Status OnAdvice(absl::Span<const Advice>) override { return Error(); }

   private:
    static absl::Status Error() { return absl::ResourceExhaustedError("full"); }
  } full;
  Stage stage(full);
  EXPECT_EQ(stage.Begin({}).message(), "full");
  EXPECT_EQ(stage.OnSample({}).message(), "full");
  EXPECT_EQ(stage.Finish({}).message(), "full");
  EXPECT_EQ(stage.OnAdvice({}).message(), "full");
}

}  // namespace
}  // namespace perf2x
