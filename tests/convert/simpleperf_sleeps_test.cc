// SPDX-License-Identifier: Apache-2.0

// Recordings of `simpleperf record --trace-offcpu`: samples of sched_switch are
// sleeps, which end when the thread runs again.

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "converter/convert/convert.h"
#include "converter/emit/registry.h"
#include "converter/input/input.h"
#include "converter/perf/records/kernel_records.h"
#include "tests/support/corpus.h"
#include "tests/support/perf_data_builder.h"
#include "tests/support/read_recording.h"
#include "tests/support/span_of.h"
#include "tests/support/text_output.h"

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

  // "tid @time" of each SAMPLE record in the table of records.
  static Lines SampleRecordsOf(const ByteVector& bytes,
                               const FilterOptions& filter) {
    ConvertOptions options;
    options.symbolize = false;
    options.filter = filter;
    options.emitter_options["table"] = "overview";
    TextOutput outputs;
    ConvertReport report;
    EXPECT_TRUE(Convert(MemoryInput(bytes), *FindEmitter("csv"), outputs,
                        options, &report)
                    .ok());
    Lines lines;
    for (const absl::string_view row : absl::StrSplit(outputs.text, "\r\n")) {
      const std::vector<std::string> cells = absl::StrSplit(row, ',');
      if (cells.size() < 6 || cells[1] != "SAMPLE") continue;
      lines.push_back(absl::StrCat(cells[3], " @", cells[5]));
    }
    return lines;
  }
  uint64_t CountOf(const std::string& message) const {
    const auto& entries = report_.diagnostics.entries();
    const auto found = entries.find(message);
    return found == entries.end() ? 0 : found->second.count;
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

TEST_F(SimpleperfSleepsTest, FiltersKeepTheRecordsOfSleeps) {
  AddSample(1000, 7, false, 250);
  AddSample(1100, 7, true, 1);
  AddSample(1200, 8, true, 1);
  AddSwitch(1500, 7, false);
  AddSample(1600, 7, false, 250);
  AddSwitch(1700, 8, false);
  const ByteVector bytes = AsFile(recording_);
  EXPECT_EQ(SampleRecordsOf(bytes, {}),
            (Lines{"7 @1000", "7 @1100", "8 @1200", "7 @1600"}));
  FilterOptions filter;
  filter.list(FilterKey::kEvent) = {"*"};
  EXPECT_EQ(SampleRecordsOf(bytes, filter),
            (Lines{"7 @1000", "7 @1100", "7 @1600", "8 @1200"}));
  filter.list(FilterKey::kTid) = {"7"};
  EXPECT_EQ(SampleRecordsOf(bytes, filter),
            (Lines{"7 @1000", "7 @1100", "7 @1600"}));
}

TEST_F(SimpleperfSleepsTest, ThreadsThatExitDoNotSleep) {
  AddSample(1000, 8, true, 1);
  ExitRecord exit;
  exit.pid = exit.ppid = exit.ptid = 7;
  exit.tid = 8;
  recording_.Add(exit, IdAt(1100, 8));
  AddSample(5000, 8, false, 250);  // of another thread
  // The last switch of a thread comes after its EXIT record.
  exit.tid = 9;
  recording_.Add(exit, IdAt(6000, 9));
  AddSample(6100, 9, true, 1);
  ForkRecord fork;
  fork.pid = fork.ppid = fork.ptid = 7;
  fork.tid = 9;
  recording_.Add(fork, IdAt(8000, 7));
  AddSample(9000, 9, false, 250);
  EXPECT_EQ(SamplesOf(AsFile(recording_), false),
            (Lines{"cpu-clock 8 @5000 250", "cpu-clock 9 @9000 250"}));
  EXPECT_EQ(CountOf("sleep that had not ended when the thread exited"), 2u);
  EXPECT_EQ(CountOf("sleep that had not ended when the recording did"), 0u);
}

TEST_F(SimpleperfSleepsTest, SleepsKeepDeferredCallchains) {
  constexpr uint64_t kDefersCallchains = uint64_t{1} << 38;  // attr.flags
  for (Recording::Event& event : recording_.events) {
    event.attr.flags |= kDefersCallchains;
  }
  const std::vector<uint64_t> chain = {kContextUserDeferred, 10};
  SampleRecord sample;
  sample.ip = 0x2000;
  sample.pid = sample.tid = 7;
  sample.time = 1000;
  sample.id = 2;
  sample.nr = chain.size();
  sample.ips = SpanOf(chain);
  recording_.Add(sample, IdAt(1000, 7), kMiscUser);
  const std::vector<uint64_t> user = {kContextUser, 0x2000, 0x3000, 0x4000};
  CallchainDeferredRecord rest;
  rest.cookie = 10;
  rest.nr = user.size();
  rest.ips = SpanOf(user);
  recording_.Add(rest, IdAt(1100, 7), kMiscUser);
  AddSwitch(1500, 7, false);
  std::vector<size_t> depths;
  RecordingReader reader;
  reader.on_sample = [&](const Sample& sleep, TraceTables& tables) {
    std::vector<FrameId> frames;
    tables.FramesOf(sleep.stack, &frames);
    depths.push_back(frames.size());
  };
  ConvertOptions options;
  options.symbolize = false;
  ASSERT_TRUE(
      ReadRecording(MemoryInput(AsFile(recording_)), options, reader).ok());
  EXPECT_EQ(depths, std::vector<size_t>{3});
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
