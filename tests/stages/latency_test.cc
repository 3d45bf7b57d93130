// SPDX-License-Identifier: Apache-2.0
#include "converter/stages/latency.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "converter/model/tag_fields.h"

namespace perf2x {
namespace {

using Lines = std::vector<std::string>;

class LatencyTest : public testing::Test, public Emitter {
 protected:
  LatencyTest() {
    for (int32_t tid = 0; tid < 4; ++tid) {
      tables_.threads.push_back({.pid = tid == 0 ? 0 : 1, .tid = tid});
    }
    tables_.events.push_back({.name = "cpu-clock",
                              .kind = EventKind::kClock,
                              .unit = "nanoseconds"});
    tables_.events.push_back(
        {.name = "sched:sched_switch", .kind = EventKind::kTracepoint});
  }
  void Switched(ThreadId thread, bool out, int32_t cpu = -1) {
    Switch event;
    event.thread = thread;
    event.out = out;
    event.cpu = cpu;
    ASSERT_TRUE(latency_->OnSwitch(event).ok());
  }
  Lines Sampled(ThreadId thread, EventId event = 0) {
    lines_.clear();
    Sample sample;
    sample.event = event;
    sample.thread = thread;
    sample.period = 1001;
    EXPECT_TRUE(latency_->OnSample(sample).ok());
    return lines_;
  }
  void Begin(bool has_time_line = false) {
    latency_.emplace(tables_, *this, has_time_line, &diagnostics_);
    ASSERT_TRUE(latency_->Begin({}).ok());
  }

  EmitterRequirements requirements() const override {
    return {.only_sums = true};
  }
  absl::Status Begin(const TraceInfo&) override { return absl::OkStatus(); }
  absl::Status OnSample(const Sample& sample) override {
    const TagFields tags(tables_, sample.tags);
    std::string line =
        absl::StrCat(tables_.events[sample.event].name, " ", sample.period);
    for (const Field& field : tags.fields()) {
      absl::StrAppend(&line, " ", field.name, "=",
                      std::get<uint64_t>(field.value));
    }
    if (!sample.branches.empty()) absl::StrAppend(&line, " branches");
    if (sample.access != nullptr) absl::StrAppend(&line, " access");
    lines_.push_back(line);
    return absl::OkStatus();
  }
  absl::Status Finish(const TraceSummary&) override { return absl::OkStatus(); }

  TraceTables tables_;
  Diagnostics diagnostics_;
  Lines lines_;
  std::optional<Latency> latency_;
};

TEST_F(LatencyTest, ThePeriodIsDividedByTheThreadsThatRun) {
  Begin();
  EXPECT_EQ(Sampled(1), (Lines{"cpu-clock 1001 parallelism=1",
                               "latency 1001 parallelism=1"}));
  Switched(2, false);
  EXPECT_EQ(Sampled(1), (Lines{"cpu-clock 1001 parallelism=2",
                               "latency 500 parallelism=2"}));
  Switched(1, true);
  EXPECT_EQ(Sampled(2)[1], "latency 1001 parallelism=1");
  EXPECT_EQ(tables_.events[2].unit, "nanoseconds");
  EXPECT_FALSE(latency_->requirements().only_sums);
}

TEST_F(LatencyTest, AnExitedThreadDoesNotRun) {
  Begin();
  Switched(2, false);
  ASSERT_TRUE(latency_->OnExit({.time = 1, .thread = 2}).ok());
  EXPECT_EQ(Sampled(1)[1], "latency 1001 parallelism=1");
}

TEST_F(LatencyTest, IdleThreadsAreNotCountedAndACpuRunsOneThread) {
  Begin();
  Switched(0, false, 0);
  Switched(1, false, 1);
  EXPECT_EQ(Sampled(0)[1], "latency 1001 parallelism=1");
  Switched(2, false, 1);  // the switch-out of 1 was lost
  EXPECT_EQ(Sampled(2)[1], "latency 1001 parallelism=1");
  Switched(3, false, 0);
  EXPECT_EQ(Sampled(2)[1], "latency 500 parallelism=2");
  ASSERT_TRUE(
      latency_->OnLost({.time = std::nullopt, .count = 1, .cpu = 0}).ok());
  EXPECT_EQ(Sampled(2)[1], "latency 1001 parallelism=1");
}

TEST_F(LatencyTest, TracepointsHaveNoLatencyAndTimeLinesOnlyTheTag) {
  Begin();
  EXPECT_EQ(Sampled(1, 1), (Lines{"sched:sched_switch 1001"}));
  Begin(/*has_time_line=*/true);
  EXPECT_EQ(Sampled(1), (Lines{"cpu-clock 1001 parallelism=1"}));
}

// Else tables and profiles of branches would have them twice.
TEST_F(LatencyTest, ALatencyHasNoBranchesAndNoAccess) {
  Begin();
  const Branch branch;
  const MemoryAccess access;
  Sample sample;
  sample.thread = 1;
  sample.period = 1001;
  sample.branches = {&branch, 1};
  sample.access = &access;
  ASSERT_TRUE(latency_->OnSample(sample).ok());
  EXPECT_EQ(lines_, (Lines{"cpu-clock 1001 parallelism=1 branches access",
                           "latency 1001 parallelism=1"}));
}

TEST_F(LatencyTest, WithoutSwitchesItSaysSo) {
  Begin();
  ASSERT_TRUE(latency_->Finish({}).ok());
  ASSERT_EQ(diagnostics_.entries().size(), 1u);
  EXPECT_NE(diagnostics_.entries().begin()->first.find("--switch-events"),
            std::string::npos);
}

}  // namespace
}  // namespace perf2x
