// SPDX-License-Identifier: Apache-2.0

// Samples that SampleProcessor takes by their keys.

#include <gmock/gmock.h>

#include <algorithm>

#include "absl/strings/match.h"
#include "converter/session/sample_processor.h"
#include "tests/session/sample_processor_test.h"
#include "tests/support/tracing_data.h"

namespace perf2x {
namespace {

// Samples by their keys.
class SampleKeysTest : public SampleProcessorTest {
 protected:
  // Applies the keys of samples at times 1, 2, …
  void ApplyKeysOf(const std::vector<const RawRecord*>& records) {
    std::vector<TimedRecord> timed(records.size());
    std::vector<const TimedRecord*> pointers;
    for (size_t i = 0; i < records.size(); ++i) {
      timed[i].Set(*records[i], i + 1);
      timed[i].block = 0;
      attrs_.ReadKey(*records[i], &timed[i]);
      ASSERT_NE(timed[i].key.event, kNoEvent);
      pointers.push_back(&timed[i]);
    }
    const auto applied = trackers_->samples.ApplyKeys(
        {pointers, {records[0]->block, 1}, 0}, kHostOrder);
    ASSERT_TRUE(applied.ok());
    EXPECT_EQ(*applied, records.size());
  }
};

TEST_F(SampleKeysTest, SufficeForTheEventId) {
  SampleProcessor& samples = Make({.fields = true, .event_ids = true});
  const EventAttr attr = {.sample_type = kType | kSampleIdentifier};
  AddEvent(attr, {77});
  SampleRecord sample = Of(8, 5);
  sample.id = 77;
  const RawRecord& record = Encoded(sample, attr, kMiscUser);
  ASSERT_TRUE(samples.Apply(record, 1, {}).ok());
  const Lines of_record = Emitted();
  ASSERT_EQ(of_record.size(), 3u);
  EXPECT_EQ(of_record.back(),
            "sample " + tables_.events[0].name + " :8 period=5 id=77 @1");
  ApplyKeysOf({&record});
  EXPECT_TRUE(Emitted().empty());  // waits for the stack's slot
  ASSERT_TRUE(samples.Flush().ok());
  EXPECT_EQ(Emitted(), (Lines{of_record.back()}));
}

TEST_F(SampleKeysTest, HaveNoEventIdUnlessItIsRequired) {
  SampleProcessor& samples = Make({.fields = true});
  const EventAttr attr = {.sample_type = kType | kSampleIdentifier};
  AddEvent(attr, {77});
  SampleRecord sample = Of(8);
  sample.id = 77;
  ApplyKeysOf({&Encoded(sample, attr, kMiscUser)});
  ASSERT_TRUE(samples.Flush().ok());
  EXPECT_EQ(Emitted().back(),
            "sample " + tables_.events[0].name + " :8 period=1 @1");
}

TEST_F(SampleKeysTest, AreTakenOfEventsWithoutOtherPartsThatAreRequired) {
  const uint64_t with_addr = kType | kSampleAddr;
  const auto taken = [this](const EmitterRequirements& requirements) {
    SampleProcessor& samples = Make(requirements);
    trackers_->events.Sync();
    return std::pair(samples.AcceptsKeysOf(0), samples.AcceptsKeysOf(1));
  };
  Make();
  AddEvent({.sample_type = kType | kSampleIdentifier}, {77});
  AddEvent({.sample_type = with_addr | kSampleIdentifier}, {78});
  EXPECT_EQ(taken({}), std::pair(true, true));
  EXPECT_EQ(taken({.fields = true}), std::pair(true, false));
  EXPECT_EQ(taken({.accesses = true}), std::pair(true, false));
  EXPECT_EQ(taken({.branches = true}), std::pair(false, false));
  EXPECT_EQ(taken({.records = true}), std::pair(true, true));
  // Its attr was skipped, or comes later.
  EXPECT_FALSE(Make({.fields = true}).AcceptsKeysOf(2));
  const EventAttr late = {.sample_type = kType};
  AddEvent(late);
  EXPECT_TRUE(trackers_->samples.AcceptsKeysOf(2));
}

TEST_F(SampleKeysTest, CountersComeAfterSamplesThatWait) {
  SampleProcessor& samples = Make({.fields = true, .counters = true});
  const EventAttr plain = {.sample_type = kType | kSampleIdentifier};
  const EventAttr counted = {
      .sample_type = kType | kSampleIdentifier | kSampleRead,
      .read_format = kReadId};
  AddEvent(plain, {7});
  AddEvent(counted, {8});
  SampleRecord sample = Of(8, 5);
  sample.id = 7;
  ApplyKeysOf({&Encoded(sample, plain, kMiscUser)});
  Emitted();
  sample.id = sample.read.id = 8;
  sample.read.value = 100;
  ASSERT_TRUE(samples.Apply(Encoded(sample, counted, kMiscUser), 2, {}).ok());
  const Lines lines = Emitted();
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0], "sample " + tables_.events[0].name + " :8 period=5 @1");
  EXPECT_TRUE(absl::StartsWith(lines[1], "counter ")) << lines[1];
}

TEST_F(SampleKeysTest, ThreadsComeAfterSamplesThatWait) {
  SampleProcessor& samples = Make({.fields = true});
  const EventAttr attr = {.sample_type = kType};
  AddEvent(attr);
  ApplyKeysOf(
      {&Encoded(Of(8), attr, kMiscUser), &Encoded(Of(9), attr, kMiscUser)});
  ASSERT_TRUE(samples.Flush().ok());
  const std::string name = "sample " + tables_.events[0].name;
  EXPECT_EQ(Emitted(),
            (Lines{"begin test", "thread 7/8 :8 @1", name + " :8 period=1 @1",
                   "thread 7/9 :9 @2", name + " :9 period=1 @2"}));
}

// Records are reported, but only those of selected samples.
TEST_F(SampleKeysTest, TheirRecordsAreReported) {
  CpuSelector selector;
  SampleProcessor& samples = Make({.records = true}, &selector);
  const EventAttr attr = {.sample_type = kType};
  AddEvent(attr);
  SampleRecord other = Of(8);
  other.cpu = 2;
  ApplyKeysOf(
      {&Encoded(other, attr, kMiscUser), &Encoded(Of(8), attr, kMiscUser)});
  ASSERT_TRUE(samples.Flush().ok());
  EXPECT_EQ(Emitted(),
            (Lines{"begin test", "thread 7/8 :8 @1",
                   "record SAMPLE pid=7 ip period @2",
                   "sample " + tables_.events[0].name + " :8 period=1 @2"}));
  EXPECT_TRUE(trackers_->counts.has(kRecordSample));
  EXPECT_EQ(trackers_->counts.ByType({})[0].records, 2u);
}

// Samples of sched_switch.
class SwitchSampleTest : public SampleKeysTest {
 protected:
  const EventAttr attr_ = {.type = kTypeTracepoint,
                           .config = 5,
                           .sample_period = 1,
                           .sample_type = kType | kSampleRaw};
  SampleProcessor& MakeForSwitches() {
    SampleProcessor& samples = Make({.switches = true});
    AddEvent(attr_);
    const std::vector<uint8_t> data = TracingData(
        kHostOrder, "sched",
        {TracepointFormatText(
            "sched_switch", 5,
            "\tfield:pid_t prev_pid;\toffset:8;\tsize:4;\tsigned:1;\n"
            "\tfield:int prev_state;\toffset:12;\tsize:4;\tsigned:1;\n"
            "\tfield:pid_t next_pid;\toffset:16;\tsize:4;\tsigned:1;\n")});
    RawRecord formats = Raw(kRecordHeaderTracingData);
    formats.payload = data;
    trackers_->events.ObserveTracingData(formats);
    return samples;
  }
  // Thread `from` goes to sleep, `to` runs.
  const RawRecord& SwitchOf(uint32_t from, uint32_t to) {
    std::vector<uint8_t> raw(20);
    Store(from, &raw[8], kHostOrder);
    Store(uint32_t{1}, &raw[12], kHostOrder);
    Store(to, &raw[16], kHostOrder);
    SampleRecord sample = Of(static_cast<int32_t>(from));
    sample.raw_size = static_cast<uint32_t>(raw.size());
    sample.raw = raw;
    return Encoded(sample, attr_, kMiscUser);
  }
};

// As the whole record does.
TEST_F(SwitchSampleTest, KeyAndRawDataTellOfASwitch) {
  SampleProcessor& samples = MakeForSwitches();
  const RawRecord& record = SwitchOf(8, 0);
  ASSERT_TRUE(samples.Apply(record, 1, {}).ok());
  const Lines first = Emitted();
  EXPECT_THAT(first, testing::Contains("out :8 cpu=1 S other=swapper @1"));
  ASSERT_TRUE(samples.Apply(record, 1, {}).ok());
  const Lines of_record = Emitted();
  EXPECT_EQ(of_record.size(), 3u);
  ApplyKeysOf({&record});
  EXPECT_TRUE(Emitted().empty());  // waits for the stack's slot
  ASSERT_TRUE(samples.Flush().ok());
  EXPECT_EQ(Emitted(), of_record);
}

// Samples wait, but the result is as if they did not.
TEST_F(SwitchSampleTest, SwitchesComeBeforeThreadsThatAreNewLater) {
  SampleProcessor& samples = MakeForSwitches();
  std::vector<const RawRecord*> records = {&SwitchOf(8, 9), &SwitchOf(0, 8),
                                           &SwitchOf(9, 0)};
  ApplyKeysOf(records);
  const std::string name = tables_.events[0].name;
  const Lines expected = {"begin test", "thread 7/8 :8 @1",
                          "sample " + name + " :8 period=1 @1",
                          // Not seen before.
                          "out :8 cpu=1 S @1"};
  Lines lines = Emitted();
  ASSERT_GE(lines.size(), expected.size());
  EXPECT_EQ(Lines(lines.begin(), lines.begin() + 4), expected);
  ASSERT_TRUE(samples.Flush().ok());
  for (std::string& line : Emitted()) lines.push_back(std::move(line));
  const auto at = [&lines](absl::string_view begin) {
    return std::find_if(lines.begin(), lines.end(),
                        [begin](const std::string& line) {
                          return absl::StartsWith(line, begin);
                        });
  };
  EXPECT_LT(at("in :8 "), at("thread 7/9 "));
  EXPECT_LT(at("thread 7/9 "), at("out :9 "));

  // More than wait, of known threads.
  records.clear();
  for (int i = 0; i < 40; ++i) {
    records.push_back(i % 2 == 0 ? &SwitchOf(8, 9) : &SwitchOf(9, 8));
  }
  ApplyKeysOf(records);
  EXPECT_EQ(Emitted().size(), (40 - 16) * 3u);
  ASSERT_TRUE(samples.Flush().ok());
  EXPECT_EQ(Emitted().size(), 16 * 3u);
}

}  // namespace
}  // namespace perf2x
