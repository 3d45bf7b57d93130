// SPDX-License-Identifier: Apache-2.0

// Recordings of `simpleperf record --trace-offcpu`: samples of sched_switch are
// sleeps, which end when the thread runs again.

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "converter/convert/convert.h"
#include "converter/input/input.h"
#include "converter/perf/records/kernel_records.h"
#include "tests/support/corpus.h"
#include "tests/support/perf_data_builder.h"
#include "tests/support/read_recording.h"

namespace perf2x {
namespace {

using Lines = std::vector<std::string>;

class SimpleperfSleepsTest : public testing::Test {
 protected:
  SimpleperfSleepsTest() {
    EventAttr clock;
    clock.type = kTypeSoftware;
    clock.sample_type =
        kSampleIp | kSampleTid | kSampleTime | kSampleId | kSamplePeriod;
    clock.sample_type |= kSampleCallchain | kSampleRegsUser;  // as in reality
    clock.flags = 1 << 18;                                    // sample_id_all
    EventAttr sleep = clock;
    sleep.type = kTypeTracepoint;
    sleep.config = 91;
    recording_.events = {{clock, {1}, ""}, {sleep, {2}, ""}};
    SetMetaInfo("true");
  }
  void SetMetaInfo(absl::string_view traces) {
    std::string text;
    for (const absl::string_view part :
         {absl::string_view("event_type_info"),
          absl::string_view("cpu-clock,1,0\nsched:sched_switch,2,91"),
          absl::string_view("trace_offcpu"), traces}) {
      absl::StrAppend(&text, part, absl::string_view("\0", 1));
    }
    recording_.features = {
        {kFeatureSimpleperfMetaInfo, ByteVector(text.begin(), text.end())}};
  }
  void AddSample(uint64_t time, int32_t tid, bool sleeps, uint64_t period) {
    SampleRecord sample;
    sample.ip = 0x1000 + static_cast<uint64_t>(tid);
    sample.pid = 7;
    sample.tid = tid;
    sample.time = time;
    sample.id = sleeps ? 2 : 1;
    sample.period = period;
    recording_.Add(sample, IdAt(time, tid), kMiscUser);
  }
  void AddSwitch(uint64_t time, int32_t tid, bool out) {
    recording_.Add(SwitchRecord(), IdAt(time, tid), out ? kMiscSwitchOut : 0);
  }
  static SampleId IdAt(uint64_t time, int32_t tid) {
    SampleId id;
    id.time = time;
    id.pid = 7;
    id.tid = tid;
    id.id = 1;
    return id;
  }
  // "event tid @time period" of each sample.
  Lines SamplesOf(const ByteVector& bytes, bool fields) {
    Lines lines;
    RecordingReader reader;
    reader.needs.fields = fields;
    reader.on_sample = [&](const Sample& sample, TraceTables& tables) {
      const Event& event = tables.events[sample.event];
      lines.push_back(
          absl::StrCat(event.kind == EventKind::kOffCpu ? "sleep " : "",
                       event.name, " ", tables.threads[sample.thread].tid, " @",
                       sample.time.value_or(0), " ", sample.period));
    };
    ConvertOptions options;
    options.symbolize = false;
    report_ = ConvertReport();
    EXPECT_TRUE(
        ReadRecording(MemoryInput(bytes), options, reader, &report_).ok());
    return lines;
  }

  Recording recording_;
  ConvertReport report_;
};

TEST_F(SimpleperfSleepsTest, ASleepEndsWhenTheThreadRunsAgain) {
  AddSample(1000, 7, false, 250);
  AddSample(1100, 7, true, 1);
  AddSwitch(1101, 7, true);
  AddSample(1200, 8, true, 1);
  AddSwitch(1201, 8, true);
  AddSwitch(1500, 7, false);
  AddSample(1600, 7, false, 250);
  AddSample(1700, 7, true, 1);  // the switches after it were lost
  AddSample(1900, 7, true, 1);
  AddSample(2300, 8, false, 250);
  const Lines expected = {"cpu-clock 7 @1000 250",
                          "sleep sched:sched_switch 7 @1500 400",
                          "cpu-clock 7 @1600 250",
                          "sleep sched:sched_switch 7 @1900 200",
                          "sleep sched:sched_switch 8 @2300 1100",
                          "cpu-clock 8 @2300 250"};
  for (const bool fields : {false, true}) {
    EXPECT_EQ(SamplesOf(AsFile(recording_), fields), expected) << fields;
    const auto& notes = report_.diagnostics.entries();
    const auto open =
        notes.find("sleep that had not ended when the recording did");
    ASSERT_NE(open, notes.end());
    EXPECT_EQ(open->second.count, 1u);
  }
}

TEST_F(SimpleperfSleepsTest, OtherRecordingsCountSwitches) {
  SetMetaInfo("false");
  AddSample(1100, 7, true, 1);
  AddSwitch(1101, 7, true);
  AddSwitch(1500, 7, false);
  EXPECT_EQ(SamplesOf(AsFile(recording_), false),
            (Lines{"sched:sched_switch 7 @1100 1"}));
}

// simpleperf's own test of its recording (report_lib_test.py) expects 208
// samples on the CPU and 91 off it.
TEST(SimpleperfSleepsCorpusTest, AsSimpleperfReportsThem) {
  if (FullCorpus().empty()) GTEST_SKIP() << NoCorpusMessage();
  const CorpusEntry* entry =
      FindRecording(FullCorpus(), "simpleperf-perf_with_trace_offcpu_v2.data");
  ASSERT_NE(entry, nullptr);
  std::map<std::string, std::pair<uint64_t, uint64_t>> sums;
  RecordingReader reader;
  reader.on_sample = [&](const Sample& sample, TraceTables& tables) {
    auto& [count, period] = sums[tables.events[sample.event].name];
    ++count;
    period += sample.period;
  };
  ConvertOptions options;
  options.symbolize = false;
  ASSERT_TRUE(ReadRecording(RecordingOf(*entry), options, reader).ok());
  EXPECT_EQ(sums["cpu-clock:u"].first, 208u);
  EXPECT_EQ(sums["sched:sched_switch"].first, 91u);
  EXPECT_EQ(sums["sched:sched_switch"].second, 344'124'304u);
}

}  // namespace
}  // namespace perf2x
