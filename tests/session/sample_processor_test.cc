// SPDX-License-Identifier: Apache-2.0
#include "converter/session/sample_processor.h"

#include "converter/session/trackers.h"
#include "tests/session/tracker_test.h"

namespace perf2x {
namespace {

// A selector of samples on one CPU.
class CpuSelector final : public SampleSelector {
 public:
  bool needs_place() const override { return false; }
  bool needs_symbols() const override { return false; }
  void set_symbolizer(Symbolizer*) override {}
  uint32_t max_stack() const override { return 0; }
  uint32_t RankOfEvent(const std::string&) const override { return 0; }
  bool Selects(const Candidate& sample) override { return sample.cpu == 1; }
  absl::Status Check() const override { return absl::OkStatus(); }
};

class SampleProcessorTest : public TrackerTest {
 protected:
  // The processor with all that it refers to; before the first event.
  SampleProcessor& Make(EmitterRequirements requirements = {},
                        SampleSelector* selector = nullptr) {
    own_emitter_.emplace(tables_, requirements);
    trackers_.emplace(SessionDeps{.input = "test",
                                  .attrs = attrs_,
                                  .tables = tables_,
                                  .emitter = *own_emitter_,
                                  .selector = selector,
                                  .environment = environment_,
                                  .budget = budget_,
                                  .diagnostics = diagnostics_});
    return trackers_->samples;
  }
  void AddEvent(const EventAttr& attr, const std::vector<uint64_t>& ids = {}) {
    TrackerTest::AddEvent(attr, ids);
    trackers_->events.Sync();
  }
  // Applies a sample of the only, or first, event.
  absl::Status Apply(const SampleRecord& sample, uint64_t time) {
    return trackers_->samples.Apply(
        Encoded(sample, attrs_.events()[0].attr, kMiscUser), time, {});
  }
  Lines Emitted() { return own_emitter_->Take(); }
  static SampleRecord Of(int32_t tid, uint64_t period = 1) {
    SampleRecord sample;
    sample.pid = 7;
    sample.tid = tid;
    sample.cpu = 1;
    sample.ip = 0x1000;
    sample.period = period;
    return sample;
  }
  static constexpr uint64_t kType =
      kSampleIp | kSampleTid | kSampleCpu | kSamplePeriod;

  Budget budget_;
  std::optional<RecordingEmitter> own_emitter_;
  std::optional<Trackers> trackers_;
};

TEST_F(SampleProcessorTest, QueuesSamplesAfterReportingTheirThreads) {
  SampleProcessor& samples = Make();
  AddEvent({.sample_type = kType});
  ASSERT_TRUE(Apply(Of(8, 5), 1).ok());
  EXPECT_EQ(Emitted(), (Lines{"begin test", "thread 7/8 :8 @1"}));
  ASSERT_TRUE(Apply(Of(8, 6), 2).ok());
  ASSERT_TRUE(samples.Flush().ok());
  const std::string name = tables_.events[0].name;
  EXPECT_EQ(Emitted(), (Lines{"sample " + name + " :8 period=5 @1",
                              "sample " + name + " :8 period=6 @2"}));
  EXPECT_EQ(own_emitter_->last_callchain(),
            (std::vector<uint64_t>{kContextUser, 0x1000}));
  EXPECT_EQ(trackers_->events.totals()[0].period, 11u);
}

TEST_F(SampleProcessorTest, SamplesWithoutAPeriodHaveTheEvents) {
  SampleProcessor& samples = Make();
  AddEvent({.sample_period = 400, .sample_type = kSampleIp | kSampleTid});
  ASSERT_TRUE(Apply(Of(8, 5), 1).ok());
  ASSERT_TRUE(samples.Flush().ok());
  EXPECT_EQ(trackers_->events.totals()[0].period, 400u);
}

TEST_F(SampleProcessorTest, SamplesThatAreNotSelectedAreNotQueued) {
  CpuSelector selector;
  SampleProcessor& samples = Make({}, &selector);
  AddEvent({.sample_type = kType});
  SampleRecord other = Of(8);
  other.cpu = 2;
  ASSERT_TRUE(Apply(other, 1).ok());
  ASSERT_TRUE(Apply(Of(8), 2).ok());
  ASSERT_TRUE(samples.Flush().ok());
  EXPECT_EQ(trackers_->events.totals()[0].samples, 1u);
}

TEST_F(SampleProcessorTest, FieldsAndBranchesAreForThoseWhoRequestThem) {
  Make({.fields = true, .branches = true, .branch_stacks = true});
  AddEvent({.sample_type = kType | kSampleAddr | kSampleBranchStack});
  const uint64_t branch[] = {0x1000, 0x2000, 0};
  SampleRecord sample = Of(8);
  sample.branch_nr = 1;
  sample.branches = {reinterpret_cast<const uint8_t*>(branch), 3, kHostOrder};
  ASSERT_TRUE(Apply(sample, 1).ok());
  const Lines lines = Emitted();
  ASSERT_EQ(lines.size(), 3u);  // fields do not wait
  EXPECT_EQ(lines.back(), "sample " + tables_.events[0].name +
                              " :8 period=1 addr branch_stack branches=1 @1");
}

TEST_F(SampleProcessorTest, AccessesAreSamplesWithADataAddress) {
  Make({.accesses = true});
  AddEvent({.sample_type =
                kType | kSampleAddr | kSampleDataSrc | kSampleWeightStruct});
  SampleRecord sample = Of(8);
  sample.data_src = 1;  // not available
  ASSERT_TRUE(Apply(sample, 1).ok());
  sample.addr = 0x7008;
  ASSERT_TRUE(Apply(sample, 2).ok());
  sample.data_src = 2;
  sample.weight = uint64_t{9} << 32 | 33;
  ASSERT_TRUE(Apply(sample, 3).ok());
  sample.data_src = 0;  // of a trace: no access
  ASSERT_TRUE(Apply(sample, 4).ok());
  const std::string name = "sample " + tables_.events[0].name;
  EXPECT_EQ(Emitted(),
            (Lines{"begin test", "thread 7/8 :8 @1", name + " :8 period=1 @1",
                   name + " :8 period=1 access#2=7008 weight=0 @2",
                   name + " :8 period=1 access#3=7008 load "
                          "weight=33 @3",
                   name + " :8 period=1 @4"}));
}

// All members of a group tell of the leader's access.
TEST_F(SampleProcessorTest, AGroupHasOneAccess) {
  Make({.accesses = true});
  const EventAttr attr = {
      .sample_type = kType | kSampleAddr | kSampleId | kSampleRead,
      .read_format = kReadGroup | kReadId};
  AddEvent(attr, {11});
  AddEvent(attr, {12});
  SampleRecord sample = Of(8);
  sample.id = 11;
  sample.addr = 0x7008;
  const uint64_t members[] = {100, 11, 7, 12};
  sample.read.nr = 2;
  sample.read.members = {reinterpret_cast<const uint8_t*>(members), 4,
                         kHostOrder};
  ASSERT_TRUE(Apply(sample, 1).ok());
  const Lines lines = Emitted();
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_NE(lines[2].find(" period=100 access#1=7008 "), std::string::npos);
  EXPECT_NE(lines[3].find(" period=7 access#1=7008 "), std::string::npos);
}

// {a,b}:S: the leader's samples hold the counters of both.
TEST_F(SampleProcessorTest, AGroupsSampleIsOneOfEachMemberThatGrew) {
  SampleProcessor& samples = Make();
  const EventAttr attr = {.sample_type = kType | kSampleId | kSampleRead,
                          .read_format = kReadGroup | kReadId};
  AddEvent(attr, {11});
  AddEvent(attr, {12});
  SampleRecord sample = Of(8);
  sample.id = 11;
  uint64_t members[] = {100, 11, 7, 12};
  sample.read.nr = 2;
  sample.read.members = {reinterpret_cast<const uint8_t*>(members), 4,
                         kHostOrder};
  ASSERT_TRUE(Apply(sample, 1).ok());
  members[0] = 150;
  ASSERT_TRUE(Apply(sample, 2).ok());
  members[0] = 10;
  ASSERT_TRUE(Apply(sample, 3).ok());
  ASSERT_TRUE(Apply(sample, 4).ok());
  ASSERT_TRUE(samples.Flush().ok());
  EXPECT_EQ(trackers_->events.totals()[0].period, 150u);
  EXPECT_EQ(trackers_->events.totals()[1].period, 7u);
  EXPECT_EQ(Diagnosed(),
            (Lines{"1 x SAMPLE record in which no counter grew",
                   "1 x SAMPLE record with a counter that runs backwards"}));
}

TEST_F(SampleProcessorTest, WhatCannotBeDecodedIsCounted) {
  SampleProcessor& samples = Make();
  ASSERT_TRUE(samples.Apply(Raw(kRecordSample), 1, {}).ok());
  AddEvent({.sample_type = kType});
  ASSERT_TRUE(samples.Apply(Raw(kRecordSample), 1, {}).ok());
  EXPECT_EQ(Diagnosed(),
            (Lines{"1 x SAMPLE record of an event that is not known",
                   "1 x SAMPLE record shorter than its fields"}));
}

class DumpedSampleTest : public SampleProcessorTest {
 protected:
  static constexpr uint64_t kDumpType =
      kType | kSampleRegsUser | kSampleStackUser;
  void ApplyDump(uint64_t time) {
    SampleRecord sample = Of(8, 5);
    const std::vector<uint8_t> stack(8);
    sample.user_abi = 2;
    sample.stack_size = sample.stack_dyn_size = stack.size();
    sample.stack = stack;
    ASSERT_TRUE(Apply(sample, time).ok());
  }
};

// Samples wait for other threads to unwind their stacks, and events for them.
TEST_F(DumpedSampleTest, EventsComeAfterTheSamplesBeforeThem) {
  SampleProcessor& samples = Make();
  AddEvent({.sample_type = kDumpType});
  ApplyDump(1);
  ASSERT_TRUE(Apply(Of(8, 6), 2).ok());
  ASSERT_TRUE(samples.Flush().ok());
  EXPECT_EQ(Emitted(), (Lines{"begin test", "thread 7/8 :8 @1"}));
  ASSERT_TRUE(trackers_->sink.Report(&Emitter::OnExec, {3, 0}).ok());
  const std::string name = tables_.events[0].name;
  EXPECT_EQ(Emitted(),
            (Lines{"sample " + name + " :8 period=5 @1",
                   "sample " + name + " :8 period=6 @2", "exec :8 @3"}));
  ApplyDump(4);
  EXPECT_TRUE(Emitted().empty());
  ASSERT_TRUE(samples.Drain().ok());
  EXPECT_EQ(Emitted(), (Lines{"sample " + name + " :8 period=5 @4"}));
}

// The fields of a sample do not outlast its record.
TEST_F(DumpedSampleTest, SamplesWithFieldsDoNotWait) {
  Make({.fields = true});
  AddEvent({.sample_type = kDumpType});
  ApplyDump(1);
  EXPECT_EQ(Emitted().size(), 3u);
}

}  // namespace
}  // namespace perf2x
