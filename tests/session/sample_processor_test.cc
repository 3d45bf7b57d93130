// SPDX-License-Identifier: Apache-2.0
#include "converter/session/sample_processor.h"

#include <gmock/gmock.h>

#include "absl/strings/str_cat.h"
#include "tests/session/sample_processor_test.h"
#include "tests/support/tracing_data.h"

namespace perf2x {
namespace {

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

TEST_F(SampleProcessorTest, TextOfTracepointsIsWork) {
  Make({.fields = true});
  AddEvent({.type = kTypeTracepoint,
            .config = 5,
            .sample_type = kType | kSampleRaw});
  std::string fields;
  for (const char* name : {"a", "b", "c"}) {
    absl::StrAppend(&fields, "\tfield:u8 ", name,
                    "[8000];\toffset:8;\tsize:8000;\tsigned:0;\n");
  }
  const std::vector<uint8_t> data =
      TracingData(kHostOrder, "sys", {TracepointFormatText("ev", 5, fields)});
  RawRecord record = Raw(kRecordHeaderTracingData);
  record.payload = data;
  trackers_->events.ObserveTracingData(record);
  const std::vector<uint8_t> raw(8008, 0xff);
  SampleRecord sample = Of(8);
  sample.raw_size = raw.size();
  sample.raw = raw;
  ASSERT_TRUE(Apply(sample, 1).ok());
  trackers_->work.Flush();
  // Two of the fields, with "255, " for each byte.
  EXPECT_GE(budget_.used(Budget::kWork), 2 * 8000 * 5 / 8);
  EXPECT_EQ(
      Diagnosed(),
      (Lines{"1 x field of a tracepoint that shares its bytes with others"}));
}

TEST_F(SampleProcessorTest, MemoryIsThatOfAllTrackers) {
  Make();
  const uint64_t before = trackers_->memory();
  environment_.bytes = 1000;
  EXPECT_EQ(trackers_->memory(), before + 1000);
  const uint8_t id[20] = {1};
  trackers_->dsos.SetBuildId("/bin/a", BuildId(id));
  EXPECT_GT(trackers_->memory(), before + 1100);
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
    sample.id = 7;
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

// Many samples of a few bytes may have a long callchain.
TEST_F(DumpedSampleTest, SamplesWithLongCallchainsDoNotWaitForLong) {
  SampleProcessor& samples = Make();
  AddEvent({.sample_type = kDumpType | kSampleCallchain});
  ApplyDump(1);
  const uint64_t ips[] = {kContextUserDeferred, 42};
  SampleRecord sample = Of(8, 6);
  sample.nr = 2;
  sample.ips = {reinterpret_cast<const uint8_t*>(ips), 2, kHostOrder};
  std::vector<uint64_t> deferred(8000, 0x1000);
  deferred[0] = kContextUser;
  const RawRecord& record = Encoded(sample, attrs_.events()[0].attr, kMiscUser);
  for (int i = 0; i < 200; ++i) {
    ASSERT_TRUE(samples.Apply(record, 2 + i, deferred).ok());
  }
  const size_t emitted = Emitted().size();
  EXPECT_GT(emitted, 2u + 40);
  EXPECT_LT(emitted, 2u + 200);
}

TEST_F(DumpedSampleTest, SamplesWithFieldsWait) {
  SampleProcessor& samples = Make({.fields = true});
  AddEvent({.sample_type = kDumpType | kSampleAddr | kSampleIdentifier}, {7});
  ApplyDump(1);
  SampleRecord without_dump = Of(8, 6);
  without_dump.id = 7;
  ASSERT_TRUE(Apply(without_dump, 2).ok());
  EXPECT_EQ(Emitted(), (Lines{"begin test", "thread 7/8 :8 @1"}));
  ASSERT_TRUE(samples.Drain().ok());
  const std::string name = "sample " + tables_.events[0].name;
  EXPECT_EQ(Emitted(), (Lines{name + " :8 period=5 addr user_regs id=7 @1",
                              name + " :8 period=6 addr id=7 @2"}));
}

// The fields of a sample with readings do not wait, nor do those before it.
TEST_F(DumpedSampleTest, SamplesOfAGroupKeepTheirFieldsBesideThoseThatWait) {
  SampleProcessor& samples = Make({.fields = true});
  AddEvent({.sample_type = kDumpType | kSampleIdentifier}, {7});
  const EventAttr group = {
      .sample_type = kType | kSampleRead | kSampleAddr | kSampleIdentifier,
      .read_format = kReadGroup | kReadId};
  AddEvent(group, {8});
  AddEvent(group, {9});
  const uint64_t members[] = {100, 8, 200, 9};
  SampleRecord sample = Of(8);
  sample.id = 8;
  sample.read.nr = 2;
  sample.read.members = {reinterpret_cast<const uint8_t*>(members), 4,
                         kHostOrder};
  const std::string leader = "sample " + tables_.events[1].name,
                    member = "sample " + tables_.events[2].name;
  ApplyDump(1);
  Emitted();
  ASSERT_TRUE(samples.Apply(Encoded(sample, group, kMiscUser), 2, {}).ok());
  EXPECT_EQ(Emitted(), (Lines{"sample " + tables_.events[0].name +
                                  " :8 period=5 user_regs id=7 @1",
                              leader + " :8 period=100 addr read id=8 @2",
                              member + " :8 period=200 addr read id=8 @2"}));
}

// The path is that of a CGROUP record before the sample, not after it.
TEST_F(DumpedSampleTest, SamplesWithFieldsComeBeforeLaterCgroups) {
  SampleProcessor& samples = Make({.fields = true});
  AddEvent({.sample_type = kDumpType | kSampleCgroup});
  ApplyDump(1);
  EXPECT_EQ(Emitted().size(), 2u);
  const CgroupRecord cgroup = {.id = 12, .path = "/user"};
  ASSERT_TRUE(trackers_->parts.Apply(cgroup, At(2, cgroup)).ok());
  EXPECT_EQ(Emitted().size(), 1u);
  ASSERT_TRUE(samples.Drain().ok());
}

TEST_F(DumpedSampleTest, SamplesWithBranchesOrAccessesDoNotWait) {
  for (const bool branches : {false, true}) {
    Make({.branches = branches, .accesses = !branches});
    if (!branches) AddEvent({.sample_type = kDumpType | kSampleAddr});
    trackers_->events.Sync();
    ApplyDump(1);
    EXPECT_EQ(Emitted().size(), 3u);
  }
}

// Its record may be reported before samples that wait.
TEST_F(DumpedSampleTest, RecordsDoNotMakeSamplesComeEarly) {
  SampleProcessor& samples = Make({.records = true});
  AddEvent({.sample_type = kDumpType});
  ApplyDump(1);
  Emitted();
  ASSERT_TRUE(
      trackers_->tee.Observe(Encoded(ExitRecord(), EventAttr()), 2).ok());
  EXPECT_EQ(Emitted().size(), 1u);
  ASSERT_TRUE(samples.Drain().ok());
  EXPECT_EQ(Emitted().size(), 1u);
}

}  // namespace
}  // namespace perf2x
