// SPDX-License-Identifier: Apache-2.0

// Recordings of hardware traces, from the bytes of every container to samples.

#include "tests/support/hardware_trace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "converter/convert/convert.h"
#include "converter/emit/registry.h"
#include "converter/input/input.h"
#include "converter/perf/records/aux_records.h"
#include "converter/perf/records/kernel_records.h"
#include "converter/stages/filter_options.h"
#include "tests/support/mmap_record.h"
#include "tests/support/read_recording.h"
#include "tests/support/text_output.h"

namespace perf2x {
namespace {

using Lines = std::vector<std::string>;

// A load at `pc` by `tid`, with an L1D miss; `time` is in the counter's ticks.
ByteVector LoadAt(uint64_t pc, uint32_t tid, uint64_t time) {
  ByteVector record = {0xb0};
  Append(pc | uint64_t{1} << 63, 8, &record);
  record.push_back(0x64);
  Append(tid, 4, &record);
  record.insert(record.end(), {0x49, 0x00, 0x42, 0x0a, 0x98, 0x21, 0x00, 0xb2});
  Append(0x7000, 8, &record);
  record.push_back(0x71);
  Append(time, 8, &record);
  while (record.size() % 64 != 0) record.push_back(0);
  return record;
}

ByteVector operator+(ByteVector a, const ByteVector& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// Two CPUs, of which the second has its records between those of the first.
// 1,000 ticks are 2,000 ns.
Recording SpeRecording() {
  Recording recording = HardwareTraceRecording("arm_spe_0//");
  AddTraceInfo(kAuxtraceArmSpe, {8, 1}, &recording);
  AddTimeConversion(0, 2, 0, &recording);
  CommRecord comm;
  comm.pid = 100;
  comm.tid = 101;
  comm.comm = "worker";
  recording.Add(comm);
  recording.Add(MmapOf(100, "/bin/a", 0x400000), SampleId(), kMiscUser);
  AddTrace({.bytes = LoadAt(0x400010, 101, 1000) + LoadAt(0x400020, 101, 3000)},
           &recording);
  AddTrace({.bytes = LoadAt(0x400030, 102, 2000), .cpu = 1}, &recording);
  // Mapped after the first two, before the third.
  SampleId late;
  late.time = 5000;
  late.id = 5;
  recording.Add(MmapOf(100, "/bin/b", 0x400000), late, kMiscUser);
  return recording;
}

// A line for each sample.
Lines SamplesOf(const ByteVector& bytes, const ConvertOptions& options = {},
                ConvertReport* report = nullptr) {
  Lines lines;
  RecordingReader reader;
  reader.needs.fields = true;
  reader.on_sample = [&](const Sample& sample, TraceTables& tables) {
    std::vector<FrameId> frames;
    tables.FramesOf(sample.stack, &frames);
    const Thread& thread = tables.threads[sample.thread];
    std::string line =
        absl::StrCat(tables.events[sample.event].name, " ", thread.pid, "/",
                     thread.tid, " cpu", sample.cpu, " @",
                     sample.time.value_or(0), " ", absl::Hex(sample.ip), " ",
                     tables.dsos()[tables.frames()[frames[0]].dso].name);
    for (const Field& field : sample.fields) {
      if (field.name == "weight") {
        absl::StrAppend(&line, " weight=", std::get<uint64_t>(field.value));
      }
    }
    lines.push_back(line);
  };
  EXPECT_TRUE(ReadRecording(MemoryInput(bytes), options, reader, report).ok());
  return lines;
}

TEST(HardwareTraceTest, SpeSamplesInTimeOrder) {
  ConvertOptions options;
  options.symbolize = false;
  options.itrace = *ParseItraceOptions("M");
  const Lines expected = {"memory 100/101 cpu0 @2000 400010 /bin/a weight=33",
                          "memory -1/102 cpu1 @4000 400030 [unknown] weight=33",
                          "memory 100/101 cpu0 @6000 400020 /bin/b weight=33"};
  const Recording recording = SpeRecording();
  EXPECT_EQ(SamplesOf(AsFile(recording), options), expected);
  EXPECT_EQ(SamplesOf(AsPipe(recording), options), expected);
  options.itrace = *ParseItraceOptions("f");
  EXPECT_EQ(SamplesOf(AsFile(recording), options)[0],
            "l1d-miss 100/101 cpu0 @2000 400010 /bin/a weight=33");
  options.itrace = ItraceOptions();
  EXPECT_EQ(SamplesOf(AsFile(recording), options).size(), 9u);
  options.itrace = *ParseItraceOptions("i2i");
  EXPECT_EQ(SamplesOf(AsFile(recording), options).size(), 1u);
}

// The first pass over the records, which looks for their times, makes none.
TEST(HardwareTraceTest, PercentagesOfTheTimeOfRecords) {
  Recording recording = SpeRecording();
  for (const uint64_t time : {1500, 7500}) {
    CommRecord comm;
    comm.pid = comm.tid = 7;
    comm.comm = "other";
    SampleId id;
    id.time = time;
    id.id = 5;
    recording.Add(comm, id);
  }
  ConvertOptions options;
  options.symbolize = false;
  options.itrace = *ParseItraceOptions("M");
  options.filter.time = *ParseTimeFilter("0%-50%");
  EXPECT_EQ(SamplesOf(AsFile(recording), options).size(), 2u);
  options.filter.time = *ParseTimeFilter("50%-100%");
  EXPECT_EQ(SamplesOf(AsFile(recording), options).size(), 1u);
}

// A damaged time may be the largest there is.
TEST(HardwareTraceTest, NoTimeHidesRecords) {
  Recording recording = SpeRecording();
  for (auto& record : recording.records) {
    if (record.type == kRecordTimeConv) record.body = Words({0, 1, 0});
    constexpr size_t kCpu = 32;
    if (record.type != kRecordAuxtrace || record.body[kCpu] != 0) continue;
    record.payload = LoadAt(0x400010, 101, ~uint64_t{0}) +
                     LoadAt(0x400020, 101, ~uint64_t{0}) +
                     LoadAt(0x400040, 101, 3000);
    record.body[0] = static_cast<uint8_t>(record.payload.size());
  }
  ConvertOptions options;
  options.symbolize = false;
  options.itrace = *ParseItraceOptions("M");
  EXPECT_EQ(SamplesOf(AsFile(recording), options).size(), 4u);
}

// A mispredicted branch at `pc` to `target` that used and missed the L1D cache
// at 0x7000.
ByteVector BranchAt(uint64_t pc, uint64_t target, uint64_t time) {
  ByteVector record = {0xb0};
  Append(pc, 8, &record);
  record.insert(record.end(), {0x4a, 0x01, 0xb1});
  Append(target, 8, &record);
  record.push_back(0xb2);
  Append(0x7000, 8, &record);
  record.insert(record.end(), {0x42, 0x8c, 0x71});
  Append(time, 8, &record);
  while (record.size() % 8 != 0) record.push_back(0);
  return record;
}

TEST(HardwareTraceTest, SamplesOfARecordDifferInTheAddress) {
  Recording recording = SpeRecording();
  for (auto& record : recording.records) {
    if (record.type != kRecordAuxtrace) continue;
    record.payload =
        BranchAt(0x400010, 0x400100, 1000) + BranchAt(0x400020, 0x400200, 2000);
    record.body[0] = static_cast<uint8_t>(record.payload.size());
    break;
  }
  Lines lines;
  RecordingReader reader;
  reader.needs.fields = true;
  reader.on_sample = [&](const Sample& sample, TraceTables& tables) {
    if (sample.cpu != 0) return;
    ASSERT_FALSE(sample.fields.empty());
    ASSERT_EQ(sample.fields[0].name, "addr");
    lines.push_back(absl::StrCat(
        tables.events[sample.event].name, " ", absl::Hex(sample.ip), " ",
        absl::Hex(std::get<Field::Hex>(sample.fields[0].value).value)));
  };
  ConvertOptions options;
  options.symbolize = false;
  ASSERT_TRUE(
      ReadRecording(MemoryInput(AsFile(recording)), options, reader).ok());
  EXPECT_EQ(lines, (Lines{"l1d-miss 400010 7000", "l1d-access 400010 7000",
                          "branch-miss 400010 400100", "branch 400010 400100",
                          "instructions 400010 7000", "l1d-miss 400020 7000",
                          "l1d-access 400020 7000", "branch-miss 400020 400200",
                          "branch 400020 400200", "instructions 400020 7000"}));
}

TEST(HardwareTraceTest, AChromeTraceHasSamplesWithoutTimes) {
  for (const bool has_times : {true, false}) {
    Recording recording = SpeRecording();
    if (!has_times) {
      std::erase_if(recording.records, [](const Recording::Record& record) {
        return record.type == kRecordTimeConv;
      });
    }
    const EmitterInfo& chrome = *FindEmitter("chrome");
    ConvertOptions options;
    options.symbolize = false;
    options.emitter_options = WithDefaults(chrome, {});
    TextOutput out;
    const ByteVector bytes = AsFile(recording);
    ConvertReport report;
    ASSERT_TRUE(
        Convert(MemoryInput(bytes), chrome, out, options, &report).ok());
    int instants = 0;
    for (const absl::string_view line : absl::StrSplit(out.text, '\n')) {
      if (absl::StrContains(line, "\"weight\":33")) ++instants;
    }
    EXPECT_EQ(instants, 9) << has_times << out.text;
  }
}

// Each of the three loads is a sample of several events.
TEST(HardwareTraceTest, CacheLinesCountEachRecordOnce) {
  const Recording recording = SpeRecording();
  const EmitterInfo& csv = *FindEmitter("csv");
  ConvertOptions options;
  options.symbolize = false;
  for (const char* letters : {"", "M", "f", "i2i"}) {
    if (*letters != 0) options.itrace = *ParseItraceOptions(letters);
    options.emitter_options = WithDefaults(csv, {{"table", "cachelines"}});
    TextOutput out;
    const ByteVector bytes = AsFile(recording);
    ConvertReport report;
    ASSERT_TRUE(Convert(MemoryInput(bytes), csv, out, options, &report).ok());
    const Lines rows = absl::StrSplit(out.text, "\r\n", absl::SkipEmpty());
    // Of two processes, one of which is not known.
    size_t samples = 0;
    for (const std::string& row : rows) {
      const Lines cells = absl::StrSplit(row, ',');
      uint64_t count = 0;
      ASSERT_GT(cells.size(), 8u);
      if (!absl::SimpleAtoi(cells[7], &count)) continue;
      samples += count;
      EXPECT_EQ(cells[0], "0x7000");
      EXPECT_EQ(cells[7], cells[8]);  // loads
    }
    EXPECT_EQ(samples, *letters == 'i' ? 1u : 3u) << letters << out.text;
    EXPECT_GE(report.facts.accesses, samples);
    for (const Finding& finding : report.findings) {
      EXPECT_NE(finding.id, "no-data-addresses") << letters;
    }
  }
}

TEST(HardwareTraceTest, DamageIsCounted) {
  Recording recording = SpeRecording();
  for (auto& record : recording.records) {
    if (record.type == kRecordAuxtrace) record.payload[63] = 0xff;
  }
  ConvertOptions options;
  options.symbolize = false;
  ConvertReport report;
  SamplesOf(AsFile(recording), options, &report);
  const auto& entries = report.diagnostics.entries();
  const auto it = entries.find("bytes of Arm SPE trace that are no packet");
  ASSERT_NE(it, entries.end());
  EXPECT_EQ(it->second.count, 2u);
}

uint64_t CountOf(const ConvertReport& report, const std::string& message) {
  const auto it = report.diagnostics.entries().find(message);
  return it == report.diagnostics.entries().end() ? 0 : it->second.count;
}

TEST(HardwareTraceTest, ABufferThatComesTwiceIsReadOnce) {
  Recording recording = SpeRecording();
  ConvertOptions options;
  options.symbolize = false;
  options.itrace = *ParseItraceOptions("M");
  const auto trace = *std::find_if(
      recording.records.begin(), recording.records.end(),
      [](const auto& record) { return record.type == kRecordAuxtrace; });
  recording.records.push_back(trace);
  for (const ByteVector& bytes : {AsFile(recording), AsPipe(recording)}) {
    ConvertReport report;
    EXPECT_EQ(SamplesOf(bytes, options, &report).size(), 3u);
    EXPECT_EQ(CountOf(report, "AUXTRACE record whose data came before"), 1u);
  }
  // Snapshots come to the same place again.
  recording.records.back().body[16] = 1;  // the reference
  ConvertReport report;
  EXPECT_EQ(SamplesOf(AsFile(recording), options, &report).size(), 5u);
  EXPECT_TRUE(report.diagnostics.entries().empty());
}

TEST(HardwareTraceTest, DataAroundWhatCameBeforeIsRead) {
  Recording recording = HardwareTraceRecording("arm_spe_0//");
  AddTraceInfo(kAuxtraceArmSpe, {8, 1}, &recording);
  AddTimeConversion(0, 2, 0, &recording);
  const ByteVector second = LoadAt(0x400020, 101, 2000);
  AddTrace({.bytes = second, .offset = 64}, &recording);
  AddTrace({.bytes = LoadAt(0x400010, 101, 1000) + second +
                     LoadAt(0x400030, 101, 3000)},
           &recording);
  ConvertOptions options;
  options.symbolize = false;
  options.itrace = *ParseItraceOptions("M");
  ConvertReport report;
  EXPECT_EQ(SamplesOf(AsFile(recording), options, &report).size(), 3u);
  EXPECT_EQ(CountOf(report, "AUXTRACE record of whose data a part came before"),
            1u);
}

// Of a load, where the processor says that its data came from memory.
std::string SourceWithCpuId(const std::string& id) {
  Recording recording = SpeRecording();
  for (auto& record : recording.records) {
    if (record.type != kRecordAuxtrace) continue;
    const ByteVector source = {0x43, 0x0e, 0, 0, 0, 0, 0, 0};
    record.payload = source + record.payload;
    record.body[0] = static_cast<uint8_t>(record.payload.size());
  }
  ByteVector text;
  Append(id.size() + 1, 4, &text);
  text.insert(text.end(), id.begin(), id.end());
  text.push_back(0);
  recording.features.push_back({kFeatureCpuId, text});
  std::string found;
  RecordingReader reader;
  reader.needs.fields = true;
  reader.on_sample = [&](const Sample& sample, TraceTables&) {
    for (const Field& field : sample.fields) {
      if (field.name != "data_src" || !found.empty()) continue;
      found = std::string(std::get<absl::string_view>(field.value));
    }
  };
  EXPECT_TRUE(ReadRecording(MemoryInput(AsFile(recording)), {}, reader).ok());
  return found;
}

// Each AUXTRACE record had all of it parsed.
TEST(HardwareTraceTest, ALongCpuIdIsNotParsed) {
  const std::string unknown = SourceWithCpuId("0x0");
  const std::string neoverse = SourceWithCpuId("0x00000000410fd0c1");
  EXPECT_NE(unknown, neoverse);
  EXPECT_EQ(SourceWithCpuId(std::string(60'000, '0') + "410fd0c1"), unknown);
}

TEST(HardwareTraceTest, DataThatTheRecordingLacksIsCounted) {
  Recording recording = SpeRecording();
  AuxRecord aux;
  aux.aux_size = 128 + 4096;
  SampleId id;
  id.time = 9000;
  id.id = 5;
  id.cpu = 0;
  recording.Add(aux, id);
  ConvertOptions options;
  options.symbolize = false;
  ConvertReport report;
  SamplesOf(AsFile(recording), options, &report);
  EXPECT_EQ(CountOf(report, "bytes of AUX data that the recording lacks"),
            4096u);
}

TEST(HardwareTraceTest, ShortRecordsAreCounted) {
  Recording recording = SpeRecording();
  recording.records[0].body.clear();
  recording.records[1].body.clear();
  ConvertReport report;
  SamplesOf(AsPipe(recording), {}, &report);
  for (const char* type : {"AUXTRACE_INFO", "TIME_CONV"}) {
    EXPECT_EQ(report.diagnostics.entries().count(
                  absl::StrCat(type, " record shorter than its fields")),
              1u)
        << type;
  }
}

TEST(HardwareTraceTest, OtherTracesAreCounted) {
  Recording recording = SpeRecording();
  recording.records[0].body[0] = kAuxtraceIntelBts;
  ConvertReport report;
  EXPECT_TRUE(SamplesOf(AsPipe(recording), {}, &report).empty());
  EXPECT_EQ(report.diagnostics.entries().count(
                "hardware trace (Intel BTS) that is not decoded"),
            1u);
  EXPECT_TRUE(report.facts.has_undecoded_trace);
}

}  // namespace
}  // namespace perf2x
