// SPDX-License-Identifier: Apache-2.0

// Records beside samples, from a recording's bytes to what formats and the
// summary say of them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "converter/cli/json_summary.h"
#include "converter/cli/report.h"
#include "converter/convert/convert.h"
#include "converter/emit/registry.h"
#include "converter/inspect/inspect.h"
#include "converter/perf/records/kernel_records.h"
#include "converter/perf/records/user_records.h"
#include "converter/perf/records/wire.h"
#include "tests/support/hostile.h"
#include "tests/support/mmap_record.h"
#include "tests/support/perf_data_builder.h"
#include "tests/support/small_trace.h"
#include "tests/support/span_of.h"

namespace perf2x {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr uint64_t kDeferCallchain = uint64_t{1} << 38;

class SideRecordsTest : public testing::Test, private OutputFactory {
 protected:
  SideRecordsTest() {
    recording_
        .AddSoftwareEvent(kSampleIp | kSampleTid | kSampleTime |
                          kSampleIdentifier)
        .flags = kSampleIdAll;
  }

  static SampleId At(uint64_t time, int32_t pid = 7) {
    SampleId id;
    id.id = 1;
    id.pid = id.tid = pid;
    id.time = time;
    return id;
  }
  static SampleRecord SampleAt(uint64_t time) {
    SampleRecord sample;
    sample.id = 1;
    sample.ip = 0x1100;
    sample.pid = sample.tid = 7;
    sample.time = time;
    return sample;
  }
  static Mmap2Record Map(uint64_t start) {
    Mmap2Record map;
    map.pid = map.tid = 7;
    map.addr = start;
    map.len = 0x1000;
    map.filename = "/opt/x.so";
    return map;
  }

  // What `format` writes of the recording; report_ has the rest.
  std::string Convert(absl::string_view format,
                      const std::map<std::string, std::string>& given = {}) {
    text_.clear();
    report_ = ConvertReport();
    const EmitterInfo& info = *FindEmitter(format);
    ConvertOptions options = WithoutFiles();
    options.symbolize = true;  // reports files, of which none is there
    options.emitter_options = WithDefaults(info, given);
    const ByteVector bytes = AsPipe(recording_);
    const absl::Status status =
        perf2x::Convert(MemoryInput(bytes), info, *this, options, &report_);
    EXPECT_TRUE(status.ok()) << status;
    return text_;
  }
  std::string Table(const std::string& table) {
    return Convert("csv", {{"table", table}});
  }
  std::string Info() {
    std::string text;
    const auto out = MakeStringOutput(&text);
    Diagnostics diagnostics;
    const ByteVector bytes = AsPipe(recording_);
    EXPECT_TRUE(
        WriteInfo(MemoryInput(bytes), /*json=*/true, *out, &diagnostics).ok());
    return text;
  }

  Recording recording_;
  ConvertReport report_;

 private:
  absl::StatusOr<std::unique_ptr<Output>> Open(absl::string_view) override {
    return MakeStringOutput(&text_);
  }
  std::string text_;
};

TEST_F(SideRecordsTest, OverviewSaysWhichWayASwitchWent) {
  recording_.Add(SwitchRecord(), At(10), kMiscSwitchOut);
  recording_.Add(SwitchRecord(), At(20));
  SwitchCpuWideRecord wide;
  wide.next_prev_pid = wide.next_prev_tid = 9;
  recording_.Add(wide, At(30), kMiscSwitchOut | kMiscSwitchOutPreempt);
  const std::string csv = Table("overview");
  EXPECT_THAT(csv, HasSubstr("SWITCH,7,7,,10,"));
  EXPECT_THAT(csv, HasSubstr(R"(""switch"":""out"",""preempted"":0}")"
                             "\r\n"));
  EXPECT_THAT(csv, HasSubstr(R"(""switch"":""in""}")"
                             "\r\n"));
  EXPECT_THAT(csv, HasSubstr(R"(""next_prev_tid"":9,)"));
  EXPECT_THAT(csv, HasSubstr(R"(""switch"":""out"",""preempted"":1}")"
                             "\r\n"));
}

TEST_F(SideRecordsTest, ProcessesCountExecutableMappings) {
  recording_.Add(Map(0x1000), At(10), kMiscUser);
  recording_.Add(Map(0x2000), At(11), kMiscUser | kMiscMmapData);
  recording_.Add(MmapOf(7, "/opt/x.so", 0x3000), At(12),
                 kMiscUser | kMiscMmapData);
  EXPECT_EQ(Table("processes"),
            "pid,parent_pid,name,mappings,fork_time,exit_time,"
            "cpu-clock:HG_samples,cpu-clock:HG_period\r\n"
            "7,,:7,1,,,0,0\r\n");
}

TEST_F(SideRecordsTest, CounterThatRunsBackwardsIsSkippedWithAReason) {
  recording_.events[0].attr.sample_type |= kSampleRead;
  recording_.events[0].attr.read_format = kReadId | kReadGroup;
  uint64_t time = 10;
  for (const uint64_t value : {1000, 500, 600}) {
    const std::vector<uint64_t> members = {value, 1};
    SampleRecord sample = SampleAt(time += 10);
    sample.read.nr = 1;
    sample.read.members = SpanOf(members);
    recording_.Add(sample, {}, kMiscUser);
  }
  EXPECT_EQ(Convert("folded"), ":7;[unknown] 2\n");
  EXPECT_EQ(report_.events[0].period, 1100u);
  EXPECT_THAT(WarningText(report_), HasSubstr("1 records skipped"));
  EXPECT_THAT(SummaryText(report_, false),
              HasSubstr("SAMPLE record with a counter that runs backwards"));
}

TEST_F(SideRecordsTest, ReadingThatRunsBackwardsIsNoted) {
  recording_.events[0].attr.sample_type |= kSampleRead;
  recording_.events[0].attr.read_format = kReadId;
  uint64_t time = 10;
  for (const uint64_t value : {1000, 500, 600}) {
    SampleRecord sample = SampleAt(time += 10);
    sample.read.id = 1;
    sample.read.value = value;
    recording_.Add(sample, {}, kMiscUser);
  }
  EXPECT_THAT(Table("counters"),
              AllOf(HasSubstr("\r\n30,,,7,7,:7,:7,cpu-clock:HG,500,"),
                    HasSubstr("\r\n40,30,,7,7,:7,:7,cpu-clock:HG,100,")));
  EXPECT_THAT(SummaryText(report_, false),
              HasSubstr("note: counter runs backwards; counted from 0 again"));
}

TEST_F(SideRecordsTest, WhatAFilterDroppedIsNotLost) {
  recording_.Add(SampleAt(10), {}, kMiscUser);
  LostSamplesRecord lost;
  lost.lost = 5;
  recording_.Add(lost, At(0, -1), kMiscLostSamplesBpf);
  const std::string dropped = "5 samples dropped by a filter while recording";
  EXPECT_THAT(Convert("chrome"), HasSubstr("\"losses\":\"" + dropped));
  EXPECT_THAT(Gunzip(Convert("pprof")), HasSubstr(dropped));
  EXPECT_THAT(Table("overview"), HasSubstr(R"(""dropped_by"":""filter"")"));
  EXPECT_EQ(report_.lost_samples, 0u);
  EXPECT_THAT(SummaryText(report_, false), HasSubstr("  " + dropped + "\n"));
  EXPECT_THAT(SummaryText(report_, false), Not(HasSubstr("lost")));
  EXPECT_EQ(WarningText(report_), "");
  EXPECT_FALSE(report_.diagnostics.lossy());
  const std::string json =
      JsonSummary("pprof", "", {{"in", "out", absl::OkStatus(), report_}});
  EXPECT_THAT(json, HasSubstr("\"lost_samples\": 0,"));
  EXPECT_THAT(json, HasSubstr("\"dropped_samples\": 5,"));
  EXPECT_THAT(Info(), HasSubstr("\"samples_dropped_by_filter\": 5"));
}

TEST_F(SideRecordsTest, FilterMayDropAllSamples) {
  LostSamplesRecord lost;
  lost.lost = 5;
  recording_.Add(lost, At(0, -1), kMiscLostSamplesBpf);
  Convert("folded");
  EXPECT_THAT(
      SummaryText(report_, false),
      HasSubstr("no samples: the filter of perf record dropped all 5\n"));
}

TEST_F(SideRecordsTest, LostSamplesStayLost) {
  recording_.Add(SampleAt(10), {}, kMiscUser);
  LostSamplesRecord lost;
  lost.lost = 5;
  recording_.Add(lost, At(20));
  EXPECT_THAT(Convert("chrome"), HasSubstr("\"name\":\"lost samples\""));
  EXPECT_EQ(report_.lost_samples, 5u);
  EXPECT_EQ(WarningText(report_), "5 samples lost");
}

// As `perf inject -b` writes it: after the mapping, before the first sample.
TEST_F(SideRecordsTest, BuildIdThatComesLateCountsForAFileWithAnInode) {
  const std::vector<uint8_t> id(20, 0xab);
  for (const uint64_t inode : {0, 5}) {
    recording_.records.clear();
    Mmap2Record map = Map(0x1000);
    map.ino = inode;
    recording_.Add(map, At(5), kMiscUser);
    // Without them what has no time comes before all that has one.
    const Recording::Record round{kRecordFinishedRound, 0, {}, {}, 0};
    recording_.records.insert(recording_.records.end(), 2, round);
    HeaderBuildIdRecord late;
    late.pid = -1;
    late.build_id = id;
    late.size = 20;
    late.filename = "/opt/x.so";
    recording_.records.push_back(
        {kRecordHeaderBuildId,
         kMiscUser | kMiscBuildIdSize,
         Encode(late, recording_.order, 0, EventAttr()),
         {},
         0});
    recording_.Add(SampleAt(10), {}, kMiscUser);
    // Mapped once more it is the same file.
    map.addr = 0x2000;
    recording_.Add(map, At(15), kMiscUser);
    SampleRecord again = SampleAt(20);
    again.ip = 0x2100;
    recording_.Add(again, {}, kMiscUser);
    Convert("folded");
    ASSERT_EQ(report_.symbols.size(), 1u) << "inode " << inode;
    EXPECT_EQ(report_.symbols[0].build_id, BuildId(id)) << "inode " << inode;
    EXPECT_EQ(report_.symbols[0].unsymbolized_count,
              1u);  // one place in one file
  }
}

TEST_F(SideRecordsTest, ScaleThatIsNoNumberIsStillJson) {
  recording_.Add(SampleAt(10), {}, kMiscUser);
  EventUpdateRecord update;
  update.kind = EventUpdateRecord::kScale;
  update.id = 1;
  for (const auto& [bits, text] : std::map<uint64_t, const char*>{
           {0x7ff8000000000000, "\"scale\": \"nan\""},
           {0x7ff0000000000000, "\"scale\": \"inf\""},
           {0xfff0000000000000, "\"scale\": \"-inf\""}}) {
    update.scale_bits = bits;
    recording_.records.resize(1);
    recording_.records.push_back(
        {kRecordEventUpdate,
         0,
         Encode(update, recording_.order, 0, EventAttr()),
         {},
         0});
    EXPECT_THAT(Info(), HasSubstr(text));
  }
}

// Samples whose cookies no record has, and the other way round.
TEST_F(SideRecordsTest, DeferredCallchainsThatMatchNothingAreCounted) {
  EventAttr& attr = recording_.events[0].attr;
  attr.sample_type |= kSampleCallchain;
  const uint64_t flags = attr.flags;
  const std::vector<uint64_t> user = {0x2000, 0x3000};
  const auto add = [&](uint64_t time, uint64_t cookie) {
    const std::vector<uint64_t> ips = {kContextKernel, 0x9000,
                                       kContextUserDeferred, cookie};
    SampleRecord sample = SampleAt(time);
    sample.nr = ips.size();
    sample.ips = SpanOf(ips);
    recording_.Add(sample);
  };
  const auto add_user = [&](uint64_t time, uint64_t cookie) {
    CallchainDeferredRecord record;
    record.cookie = cookie;
    record.nr = user.size();
    record.ips = SpanOf(user);
    recording_.Add(record, At(time));
  };
  const auto count = [&](absl::string_view message) {
    const auto found = report_.diagnostics.entries().find(message);
    if (found == report_.diagnostics.entries().end()) return uint64_t{0};
    EXPECT_EQ(found->second.severity, Diagnostics::Severity::kNote);
    return found->second.count;
  };
  // The bit says that samples wait; a cookie may be there without it.
  for (const bool waits : {true, false}) {
    recording_.records.clear();
    attr.flags = flags | (waits ? kDeferCallchain : 0);
    add_user(5, 4);  // the sample was lost
    add(10, 5);
    add_user(20, 6);
    Convert("folded");
    EXPECT_EQ(count("deferred user callchain never came"), 1u) << waits;
    EXPECT_EQ(count("CALLCHAIN_DEFERRED record that no sample waits for"), 2u)
        << waits;
  }
  recording_.records.clear();
  attr.flags = flags | kDeferCallchain;
  add(10, 5);
  add_user(20, 5);
  Convert("folded");
  EXPECT_EQ(count("deferred user callchain never came"), 0u);
  EXPECT_EQ(count("CALLCHAIN_DEFERRED record that no sample waits for"), 0u);
}

}  // namespace
}  // namespace perf2x
