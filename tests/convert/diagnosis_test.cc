// SPDX-License-Identifier: Apache-2.0

// What is recognised of a recording, and what the summary says of it.

#include "converter/convert/diagnosis.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "converter/cli/report.h"
#include "converter/convert/convert.h"
#include "converter/convert/quantities.h"
#include "converter/emit/registry.h"
#include "tests/support/corpus.h"
#include "tests/support/perf_data_builder.h"
#include "tests/support/read_recording.h"
#include "tests/support/wire.h"

namespace perf2x {
namespace {

constexpr uint64_t kProgram = 0x400000, kLibrary = 0x500000,
                   kKernelCode = 0xffffffff81000000, kNowhere = 0x900000;

std::vector<std::string> IdsOf(const ConvertReport& report) {
  std::vector<std::string> ids;
  for (const Finding& finding : report.findings) ids.push_back(finding.id);
  return ids;
}
using Ids = std::vector<std::string>;

// A recording of one program, with callchains.
class DiagnosisTest : public testing::Test {
 protected:
  DiagnosisTest() {
    Recording::Event event;
    event.attr.type = kTypeSoftware;
    event.attr.size = 136;
    event.attr.sample_period = 1000;
    event.attr.sample_type =
        kSampleIp | kSampleTid | kSampleTime | kSampleCallchain;
    event.ids = {1};
    recording_.events.push_back(event);
    Map("/opt/app", kProgram);
    Map("/opt/lib.so", kLibrary);
  }

  EventAttr& attr() { return recording_.events[0].attr; }
  void Map(const std::string& name, uint64_t start, int32_t pid = 7,
           uint16_t mode = kMiscUser) {
    MmapRecord mmap;
    mmap.pid = mmap.tid = pid;
    mmap.addr = start;
    mmap.len = 0x1000;
    mmap.filename = name;
    recording_.Add(mmap, {}, mode);
  }
  void Add(int times, const std::vector<uint64_t>& chain) {
    for (int i = 0; i < times; ++i) {
      SampleRecord sample;
      sample.ip = chain[1];
      sample.pid = sample.tid = 7;
      sample.time = ++time_;
      sample.nr = chain.size();
      sample.ips = WordSpan(reinterpret_cast<const uint8_t*>(chain.data()),
                            chain.size(), kHostOrder);
      recording_.Add(sample, {},
                     chain[0] == kContextKernel ? kMiscKernel : kMiscUser);
    }
  }
  ConvertReport Report() {
    const ByteVector file = AsFile(recording_);
    ConvertReport report;
    RecordingReader reader;
    // As an emitter does that shows functions.
    reader.on_sample = [](const Sample& sample, TraceTables& tables) {
      std::vector<FrameId> frames;
      tables.FramesOf(sample.stack, &frames);
      for (const FrameId frame : frames) tables.Lines(frame);
    };
    const absl::Status status =
        ReadRecording(MemoryInput(file), options_, reader, &report);
    EXPECT_TRUE(status.ok()) << status;
    return report;
  }

  Recording recording_;
  ConvertOptions options_;
  uint64_t time_ = 1000;
};

TEST_F(DiagnosisTest, StacksOfOneFrameHaveNoFramePointers) {
  Add(20, {kContextUser, kProgram + 8});
  Add(10, {kContextUser, kProgram + 8, kProgram + 0x88});
  const ConvertReport report = Report();
  EXPECT_EQ(report.stacks.user, 30u);
  EXPECT_EQ(report.stacks.without_callers, 20u);
  ASSERT_EQ(IdsOf(report), Ids{"no-frame-pointers"});
  EXPECT_EQ(report.findings[0].message,
            "no frame pointers: 67 % of user stacks have no caller in known "
            "code");
  EXPECT_EQ(report.findings[0].next_step,
            "record with --call-graph dwarf, or build with "
            "-fno-omit-frame-pointer");
}

TEST_F(DiagnosisTest, OneCallerInThreeStacksIsEnough) {
  Add(20, {kContextUser, kProgram + 8});
  Add(11, {kContextUser, kProgram + 8, kProgram + 0x88});
  EXPECT_EQ(IdsOf(Report()), Ids());
}

TEST_F(DiagnosisTest, FewStacksSayNothing) {
  Add(19, {kContextUser, kProgram + 8});
  EXPECT_EQ(IdsOf(Report()), Ids());
}

TEST_F(DiagnosisTest, CallersInNoMappingHaveNoFramePointers) {
  Add(30, {kContextUser, kProgram + 8, kProgram + 0x88, kNowhere, kNowhere + 8,
           kNowhere + 16});
  const ConvertReport report = Report();
  EXPECT_EQ(report.stacks.callers, 120u);
  EXPECT_EQ(report.stacks.unmapped_callers, 90u);
  ASSERT_EQ(IdsOf(report), Ids{"no-frame-pointers"});
  EXPECT_EQ(report.findings[0].message,
            "no frame pointers: 75 % of callers are in no mapping");
  // It says so once, and not again as code without symbols.
  const std::string text = SummaryText(report, false);
  EXPECT_FALSE(absl::StrContains(text, "[unknown]")) << text;
  EXPECT_FALSE(absl::StrContains(text, "addresses in no mapping")) << text;
}

TEST_F(DiagnosisTest, AddressesInNoMappingLackNoSymbol) {
  Add(10, {kContextUser, kProgram + 8, kProgram + 0x88, kProgram + 0x108,
           kNowhere});
  Add(90, {kContextUser, kProgram + 8, kProgram + 0x88});
  const ConvertReport report = Report();
  EXPECT_EQ(report.unsymbolized_samples, 100u);
  EXPECT_TRUE(
      absl::StrContains(SummaryText(report, false),
                        "  10 % of samples have addresses in no mapping\n"))
      << SummaryText(report, false);
}

TEST_F(DiagnosisTest, MissingMapsAreNoMissingFramePointers) {
  Add(30, {kContextUser, kNowhere, kNowhere + 8, kNowhere + 16});
  const ConvertReport report = Report();
  EXPECT_EQ(report.stacks.user, 0u);
  EXPECT_EQ(IdsOf(report), Ids());
}

TEST_F(DiagnosisTest, StacksThatWereAskedToBeShortAreWhole) {
  attr().sample_max_stack = 1;
  Add(30, {kContextUser, kProgram + 8});
  EXPECT_EQ(IdsOf(Report()), Ids());
}

TEST_F(DiagnosisTest, StacksThatAFilterCutsAreWhole) {
  options_.filter.max_stack = 1;
  Add(30, {kContextUser, kProgram + 8, kProgram + 0x88});
  EXPECT_EQ(IdsOf(Report()), Ids());
}

TEST_F(DiagnosisTest, WithoutCallchainsThereAreNoCallersToMiss) {
  attr().sample_type &= ~uint64_t{kSampleCallchain};
  EXPECT_EQ(IdsOf(Report()), Ids{"no-samples"});
  Add(30, {kContextUser, kProgram + 8});
  EXPECT_EQ(IdsOf(Report()), Ids{"no-call-graphs"});
  attr().type = kTypeTracepoint;
  EXPECT_EQ(IdsOf(Report()), Ids());
}

TEST_F(DiagnosisTest, KernelWithoutMapIsHidden) {
  Add(10, {kContextKernel, kKernelCode, kContextUser, kProgram + 8});
  Add(90, {kContextUser, kProgram + 8, kProgram + 0x88});
  ConvertReport report = Report();
  EXPECT_EQ(report.stacks.kernel, 10u);
  ASSERT_EQ(IdsOf(report), Ids{"hidden-kernel"});
  EXPECT_TRUE(absl::StrContains(report.findings[0].message, " 10 % of samples"))
      << report.findings[0].message;

  Map("[kernel.kallsyms]_text", kKernelCode, -1, kMiscKernel);
  report = Report();
  EXPECT_TRUE(report.facts.has_kernel_map);
  EXPECT_EQ(IdsOf(report), Ids());
}

TEST_F(DiagnosisTest, CountersSayForHowLongTheyCounted) {
  attr().read_format = kReadTotalTimeEnabled | kReadTotalTimeRunning;
  Add(1, {kContextUser, kProgram + 8});
  for (int32_t tid : {7, 8}) {
    ReadRecord read;
    read.pid = 7;
    read.tid = tid;
    read.read.value = 5;
    read.read.time_enabled = 1000;
    read.read.time_running = tid == 7 ? 1000 : 400;
    recording_.Add(read);
  }
  const ConvertReport report = Report();
  ASSERT_EQ(report.facts.events.size(), 1u);
  EXPECT_EQ(report.facts.events[0].counted.enabled, 2000u);
  EXPECT_EQ(report.facts.events[0].counted.running, 1400u);
  ASSERT_EQ(IdsOf(report), Ids{"multiplexed"});
  EXPECT_TRUE(
      absl::StrContains(report.findings[0].message, "70 % of the time"));
}

TEST_F(DiagnosisTest, MissingSymbolsAreCountedBySamples) {
  Add(1, {kContextUser, kLibrary + 8, kLibrary + 16, kProgram + 8});
  Add(1, {kContextUser, kLibrary + 24, kLibrary + 32, kProgram + 8});
  Add(200, {kContextUser, kProgram + 16, kProgram + 32});
  const ConvertReport report = Report();
  EXPECT_EQ(report.unsymbolized_samples, 202u);
  std::map<std::string, uint64_t> samples;
  for (const DsoReport& file : report.symbols) {
    samples[file.name] = file.samples;
  }
  EXPECT_EQ(samples["/opt/app"], 202u);
  EXPECT_EQ(samples["/opt/lib.so"], 2u);
  const std::string text = SummaryText(report, /*verbose=*/false);
  EXPECT_TRUE(
      absl::StrContains(text,
                        "  100 % of samples have code without symbols, in:\n"
                        "    100 % /opt/app\n"))
      << text;
  // 2 of 202 are less than one percent.
  EXPECT_FALSE(absl::StrContains(text, "lib.so")) << text;
  EXPECT_FALSE(absl::StrContains(text, "addresses have")) << text;
  EXPECT_TRUE(absl::StrContains(SummaryText(report, /*verbose=*/true),
                                "    1.0 % /opt/lib.so\n"));
}

// Not by addresses, nor by name.
TEST_F(DiagnosisTest, MissingSymbolsAreRankedBySamples) {
  Add(10, {kContextUser, kProgram + 8, kProgram + 16, kProgram + 24});
  Add(90, {kContextUser, kLibrary + 8});
  const std::string text = SummaryText(Report(), /*verbose=*/false);
  const size_t most = text.find("    90 % /opt/lib.so\n");
  const size_t least = text.find("    10 % /opt/app\n");
  EXPECT_NE(least, text.npos) << text;
  EXPECT_LT(most, least) << text;
}

// What a report by itself leads to.
class ReportTest : public testing::Test {
 protected:
  ReportTest() {
    report_.events.push_back({"cpu-clock:u", "nanoseconds", 0, 0, 0});
    report_.facts.events.resize(1);
    report_.facts.events[0].is_frequency = true;
    report_.facts.events[0].period = 4000;
    report_.facts.first_time = 1'000'000'000;
    report_.facts.last_time = 3'000'000'000;
  }
  Finding Only() {
    const std::vector<Finding> findings = Diagnose(report_);
    EXPECT_EQ(findings.size(), 1u);
    return findings.empty() ? Finding() : findings[0];
  }
  ConvertReport report_;
};

TEST_F(ReportTest, NoSamplesSayHowLongTheRecordingWas) {
  EXPECT_EQ(Only().message, "no samples: cpu-clock:u did not occur in 2.00 s");
}

TEST_F(ReportTest, NoSamplesOfAProgramThatEndedAtOnce) {
  report_.facts.exec_time = 1'000'000'000;
  report_.facts.exit_time = 1'000'800'000;
  EXPECT_EQ(Only().message,
            "no samples: the program ended after 800 µs, before cpu-clock:u "
            "was due");
}

TEST_F(ReportTest, NoSamplesForWantOfPermission) {
  report_.facts.events[0].excludes_kernel = true;
  EXPECT_TRUE(absl::StrContains(Only().message, "perf_event_paranoid"));
  report_.facts.command_line = {"perf", "record", "-e", "cpu-clock:u", "sleep"};
  EXPECT_EQ(Only().next_step, "record without :u");
}

TEST_F(ReportTest, NoSamplesForTheirPeriod) {
  report_.facts.events[0].is_frequency = false;
  EXPECT_EQ(Only().message,
            "no samples: cpu-clock:u did not occur in 2.00 s as often as 4000 "
            "times, which makes a sample");
}

TEST_F(ReportTest, NoSamplesForTheirFrequency) {
  report_.facts.events[0].is_frequency = true;
  report_.facts.events[0].period = 1;
  EXPECT_EQ(Only().message,
            "no samples: a sample was due every 1.00 s of what is counted, and "
            "the recording is 2.00 s long");
}

TEST_F(ReportTest, NoSamplesForWhatPerfWasTold) {
  report_.facts.command_line = {"perf", "record", "-D2000", "sleep"};
  EXPECT_TRUE(absl::StrContains(Only().message, "after the delay (-D)"));
  report_.facts.command_line = {"perf", "record", "--filter", "fd==7"};
  EXPECT_TRUE(absl::StrContains(Only().message, "--filter let it through"));
  report_.facts.command_line = {"perf", "record", "app", "--filter", "-D"};
  EXPECT_EQ(Only().message, "no samples: cpu-clock:u did not occur in 2.00 s");
  report_.diagnostics.Add(Diagnostics::Severity::kDamage,
                          "recording was not finished: …");
  EXPECT_TRUE(absl::StrContains(Only().message, "was not finished"));
}

TEST_F(ReportTest, BranchesOfARecordingWithout) {
  report_.events[0].samples = 100;
  report_.shows_branches = true;
  EXPECT_EQ(Only().id, "no-branches");
  report_.facts.has_branches = true;
  EXPECT_TRUE(Diagnose(report_).empty());
}

// What makes a dummy is its config, not its name.
TEST_F(ReportTest, NoSamplesOfADummyAlone) {
  report_.events[0].name = "dummy_probe";
  EXPECT_FALSE(absl::StrContains(Only().message, "dummy is an event"));
  report_.facts.events[0].kind = EventKind::kDummy;
  report_.events[0].name = "side-band:u";
  EXPECT_TRUE(absl::StrContains(Only().message, "dummy is an event"));
}

TEST_F(ReportTest, NoSamplesForFilters) {
  report_.events[0].filtered = 12;
  EXPECT_EQ(Only().message, "no samples: the filters leave out all 12");
}

TEST_F(ReportTest, NoSamplesThatPerfDropped) {
  report_.dropped_samples = 7;
  EXPECT_EQ(Only().message,
            "no samples: the filter of perf record dropped all 7");
}

TEST_F(ReportTest, CountersNeedNoSamples) {
  report_.facts.has_counts = true;
  EXPECT_TRUE(Diagnose(report_).empty());
  EXPECT_EQ(WarningText(report_), "");
}

TEST_F(ReportTest, CountersOfAFormatWithoutThem) {
  report_.facts.has_counts = true;
  report_.shows_counters = false;
  EXPECT_EQ(Only().id, "counters-not-shown");
  EXPECT_EQ(
      Only().next_step,
      "--to chrome shows them over time, --to csv has the table counters");
}

TEST_F(ReportTest, LossesAreAShare) {
  report_.events[0].samples = 900;
  report_.lost_records = 100;
  EXPECT_EQ(Only().message, "100 records (10 %) were lost while recording");
  EXPECT_EQ(Only().next_step,
            "record with larger buffers (-m 16M) or a lower rate (-F)");
  // The kernel counts these among the records.
  report_.lost_samples = 60;
  EXPECT_EQ(Only().message, "60 samples (6.2 %) were lost while recording");
}

TEST_F(ReportTest, StacksBeyondTheirDumps) {
  report_.events[0].samples = 100;
  report_.facts.unwound_stacks = 100;
  report_.facts.cut_stacks = 4;
  report_.facts.dump_size = 8192;
  EXPECT_TRUE(Diagnose(report_).empty());
  report_.facts.cut_stacks = 5;
  EXPECT_EQ(Only().id, "short-stack-dumps");
  EXPECT_EQ(Only().next_step, "record with --call-graph dwarf,16384");
  report_.facts.dump_size = 512;
  EXPECT_EQ(Only().next_step, "record with --call-graph dwarf,16384");
  report_.facts.dump_size = 16384;
  EXPECT_EQ(Only().next_step, "record with --call-graph dwarf,32768");
  report_.facts.dump_size = 32768;
  EXPECT_EQ(Only().next_step, "record with --call-graph dwarf,65528");
  report_.facts.dump_size = 65528;
  EXPECT_TRUE(absl::StrContains(Only().next_step, "-fno-omit-frame-pointer"));
}

TEST_F(ReportTest, EventsThatShareCounters) {
  report_.events[0].samples = 1;
  report_.facts.events[0].counted = {1000, 950};
  EXPECT_TRUE(Diagnose(report_).empty());
  report_.facts.events[0].counted = {1000, 620};
  EXPECT_EQ(Only().message,
            "cpu-clock:u was counted 62 % of the time: it had to share the "
            "CPU's counters");
  report_.facts.events[0].counted = {1000, 0};
  EXPECT_EQ(Only().message,
            "cpu-clock:u was never counted: no counter was free");
}

TEST_F(ReportTest, TimesAreInUnitsThatRead) {
  report_.events[0].samples = 991;
  report_.events[0].period = 991'250'000;
  EXPECT_EQ(SummaryText(report_, false),
            "  991 samples of cpu-clock:u, 991 ms\n");
}

TEST_F(ReportTest, OffsetsOnlyWhereThereAre) {
  report_.events[0].samples = 1;
  using Severity = Diagnostics::Severity;
  report_.diagnostics.Add(Severity::kNote, "nowhere", 0, 0, 3);
  report_.diagnostics.Add(Severity::kSkipped, "somewhere", 4096, 24);
  const std::string text = SummaryText(report_, false);
  EXPECT_TRUE(absl::StrContains(text, "  note: nowhere (3x)\n")) << text;
  EXPECT_TRUE(absl::StrContains(
      text, "  skipped: somewhere (1x, first at offset 4096, 24 bytes)\n"))
      << text;
  report_.diagnostics.Add(Severity::kDamage, "no place");
  report_.diagnostics.Add(Severity::kDamage, "one place", 4096);
  EXPECT_EQ(WarningText(report_),
            "no place; one place at offset 4096; 1 records skipped");
}

TEST(QuantitiesTest, Durations) {
  EXPECT_EQ(DurationText(0), "0 ns");
  EXPECT_EQ(DurationText(999), "999 ns");
  EXPECT_EQ(DurationText(1'500), "1.50 µs");
  EXPECT_EQ(DurationText(999'400), "999 µs");
  EXPECT_EQ(DurationText(999'600), "1.00 ms");
  EXPECT_EQ(DurationText(12'340'000), "12.3 ms");
  EXPECT_EQ(DurationText(999'999'999), "1.00 s");
  EXPECT_EQ(DurationText(3'723'000'000'000), "3723 s");
}

TEST(QuantitiesTest, Shares) {
  EXPECT_EQ(ShareText(0, 7), "0 %");
  EXPECT_EQ(ShareText(1, 10000), "under 0.1 %");
  EXPECT_EQ(ShareText(13, 1000), "1.3 %");
  EXPECT_EQ(ShareText(2, 3), "67 %");
  EXPECT_EQ(ShareText(9999, 10000), "99 %");
  EXPECT_EQ(ShareText(7, 7), "100 %");
}

// All recordings of the corpus of which something is found, without symbols.
// The others are good ones: for them there is no false alarm.
TEST(DiagnosisCorpusTest, WhatIsFoundInEachRecording) {
  const std::string no_fp = "no-frame-pointers", none = "no-samples";
  const std::map<std::string, std::string> expected = {
      // Debian builds for armv7l without, and for s390x without backchains.
      {"armv7l-fp", no_fp},
      {"armv7l-pipe", no_fp},
      {"armv7l-threads", no_fp},
      {"armv7l-threads_dir", no_fp},
      {"s390x-fork", no_fp},
      {"s390x-fp", no_fp},
      {"s390x-multi", no_fp},
      {"s390x-pipe", no_fp},
      {"s390x-pipe_zstd", no_fp},
      {"s390x-sysw", no_fp},
      {"s390x-threads", no_fp},
      {"s390x-threads_dir", no_fp},
      {"s390x-zstd", no_fp},
      // So is Python, and the C library that calls the kernel here.
      {"vm-kprobe", no_fp},
      {"x86-python_prog", no_fp},
      {"vm-lock", none},
      {"vm-sched_stat_inject", none},
      {"x86-empty_dummy", none},
      {"vm-lost", "lost"},
      {"vm-lost_dwarf", "lost"},
      {"vm-snapshot-2", "lost"},
      {"x86-lost_all", none + " lost"},
      {"x86-lost_some", "lost"},
  };
  std::map<std::string, std::string> found;
  for (const CorpusEntry& entry : OwnRecordings()) {
    if (entry.group != "recorded") continue;
    ConvertOptions options;
    options.symbolize = false;
    ConvertReport report;
    const absl::Status status =
        ReadRecording(RecordingOf(entry), options, {}, &report);
    if (!status.ok()) continue;
    std::string ids;
    for (const std::string& id : IdsOf(report)) {
      // That is of the format, which has no counters here.
      if (id == "counters-not-shown") continue;
      // Many were recorded without.
      if (id == "no-call-graphs") continue;
      ids += (ids.empty() ? "" : " ") + id;
    }
    if (!ids.empty()) found[entry.id] = ids;
  }
  EXPECT_EQ(found, expected);
}

}  // namespace
}  // namespace perf2x
