// SPDX-License-Identifier: Apache-2.0
#include "converter/perf/stream/repeated_switches.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <vector>

#include "converter/perf/records/kernel_records.h"
#include "converter/perf/stream/ordered_reader.h"
#include "tests/support/perf_data_builder.h"

namespace perf2x {
namespace {

// Raw data are two tids and a state.
class TwoTids final : public SchedTracepoints {
 public:
  bool Observe(const RawRecord&) override { return false; }
  SchedPlaces PlacesOf(const EventAttr& attr) const override {
    SchedPlaces places;
    if (attr.type != kTypeTracepoint) return places;
    places.kind = SchedPlaces::kSwitch;
    places.next_tid = 4;
    places.number = 8;
    places.least = 12;
    places.order = ByteOrder::kLittle;
    return places;
  }
};

class SwitchesPassedOn final : public OrderedReader::Sink {
 public:
  absl::Status Apply(const RawRecord& record,
                     std::optional<uint64_t>) override {
    switches += record.type == kRecordSwitchCpuWide;
    return absl::OkStatus();
  }
  int switches = 0;
};

class RepeatedSwitchesTest : public testing::Test {
 protected:
  RepeatedSwitchesTest() {
    Recording::Event event;
    event.attr.type = kTypeTracepoint;
    event.attr.size = kAttrSizeVer0;
    event.attr.sample_period = 1;
    event.attr.sample_type = kSampleTid | kSampleTime | kSampleCpu | kSampleRaw;
    event.attr.flags = kSampleIdAll;
    event.ids = {1};
    event.name = "sched:sched_switch";
    recording_.events.push_back(event);
  }
  void AddRound() {
    recording_.records.push_back({kRecordFinishedRound, 0, {}, {}, 0});
  }
  // The sample of a switch from thread `from` to `to`, as raw data say.
  void AddSample(int32_t from, int32_t to, uint32_t cpu = 0) {
    std::vector<uint8_t> raw(12);
    Store(static_cast<uint32_t>(from), &raw[0], ByteOrder::kLittle);
    Store(static_cast<uint32_t>(to), &raw[4], ByteOrder::kLittle);
    SampleRecord sample;
    sample.pid = sample.tid = from;
    sample.time = ++time_;
    sample.cpu = cpu;
    sample.raw = raw;
    sample.raw_size = static_cast<uint32_t>(raw.size());
    recording_.Add(sample);
  }
  void AddRecord(int32_t own, int32_t other, bool out, uint32_t cpu = 0) {
    SwitchCpuWideRecord record;
    record.next_prev_pid = record.next_prev_tid = other;
    SampleId id;
    id.pid = id.tid = own;
    id.time = ++time_;
    id.cpu = cpu;
    recording_.Add(record, id, out ? kMiscSwitchOut : uint16_t{0});
  }
  void AddName(int32_t tid) {
    CommRecord comm;
    comm.pid = comm.tid = tid;
    comm.comm = "x";
    SampleId id;
    id.time = ++time_;
    recording_.Add(comm, id);
  }
  void AddSwitch(int32_t from, int32_t to) {
    AddSample(from, to);
    AddRecord(from, to, /*out=*/true);
    AddRecord(to, from, /*out=*/false);
  }
  // Makes the threads 1 and 2 known. Their records are passed on.
  void AddKnown() {
    AddSwitch(1, 2);
    AddSwitch(2, 1);
    AddRound();
    AddRound();
  }
  // Returns how many records of switches are passed on.
  int PassedOn() const {
    const ByteVector bytes = AsPipe(recording_);
    auto reader =
        OrderedReader::Open(MemoryInput(bytes), 0, Budget::Unlimited());
    EXPECT_TRUE(reader.ok()) << reader.status();
    (*reader)->ReadSchedKeys(std::make_unique<TwoTids>());
    (*reader)->SkipRepeatedSwitches();
    SwitchesPassedOn sink;
    EXPECT_TRUE((*reader)->Run(/*on_thread=*/false, sink).ok());
    uint64_t all = 0;
    for (const Recording::Record& record : recording_.records) {
      all += record.type == kRecordSwitchCpuWide;
    }
    EXPECT_EQ((*reader)->skipped()[1].records + sink.switches, all);
    return sink.switches;
  }

  Recording recording_;
  uint64_t time_ = 100;
};

TEST_F(RepeatedSwitchesTest, RecordsThatNameNewThreadsArePassedOn) {
  AddSwitch(1, 2);
  AddSwitch(2, 1);
  AddRound();
  AddSwitch(1, 2);
  EXPECT_EQ(PassedOn(), 6);
  AddRound();
  AddSwitch(2, 1);
  AddSwitch(1, 2);
  EXPECT_EQ(PassedOn(), 6);
  AddSwitch(2, 3);
  EXPECT_EQ(PassedOn(), 8);
}

TEST_F(RepeatedSwitchesTest, OtherRecordsThanTheSampleTellsArePassedOn) {
  AddKnown();
  AddRecord(1, 2, true);  // no sample
  AddRecord(2, 1, false);
  EXPECT_EQ(PassedOn(), 4 + 2);
  AddSample(2, 1);
  AddRecord(2, 1, true, /*cpu=*/1);  // elsewhere
  EXPECT_EQ(PassedOn(), 4 + 3);
  AddSample(2, 7);
  AddRecord(2, 1, true);  // another thread comes
  EXPECT_EQ(PassedOn(), 4 + 4);
  AddSample(2, 1);
  AddRecord(1, 2, false);  // the thread's going is missing
  EXPECT_EQ(PassedOn(), 4 + 5);
  AddSwitch(1, 2);
  AddRecord(2, 1, false);  // once more
  EXPECT_EQ(PassedOn(), 4 + 6);
}

// In a container, raw data have other tids than samples.
TEST_F(RepeatedSwitchesTest, SamplesWithOtherTidsInRawDataDoNotCount) {
  AddKnown();
  AddSwitch(1, 2);
  EXPECT_EQ(PassedOn(), 4);
  // Behind tid, time, CPU and the size of the raw data.
  recording_.records[recording_.records.size() - 3].body[3 * 8 + 4] = 9;
  EXPECT_EQ(PassedOn(), 4 + 2);
}

TEST_F(RepeatedSwitchesTest, RecordsAfterALossArePassedOn) {
  AddKnown();
  AddSample(1, 2);
  LostRecord lost;
  lost.lost = 1;
  SampleId id;
  id.time = ++time_;
  recording_.Add(lost, id);
  AddRecord(1, 2, true);
  AddRecord(2, 1, false);
  EXPECT_EQ(PassedOn(), 4 + 2);
}

TEST_F(RepeatedSwitchesTest, ARenamedThreadIsNotKnown) {
  AddKnown();
  AddName(2);
  AddSwitch(1, 2);
  EXPECT_EQ(PassedOn(), 4 + 2);
  AddSample(2, 1);
  AddRecord(2, 1, /*out=*/true);
  AddName(2);
  AddRecord(1, 2, /*out=*/false);
  EXPECT_EQ(PassedOn(), 4 + 4);
}

TEST_F(RepeatedSwitchesTest, ASampleOfSeveralSwitchesDoesNotCount) {
  recording_.events[0].attr.sample_period = 2;
  AddKnown();
  AddSwitch(1, 2);
  EXPECT_EQ(PassedOn(), 6);
}

}  // namespace
}  // namespace perf2x
