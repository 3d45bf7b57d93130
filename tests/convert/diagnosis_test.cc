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
#include "converter/emit/registry.h"
#include "tests/convert/addresses.h"
#include "tests/support/mmap_record.h"
#include "tests/support/perf_data_builder.h"
#include "tests/support/read_recording.h"
#include "tests/support/span_of.h"
#include "tests/support/text_output.h"
#include "tests/support/wire.h"

namespace perf2x {
namespace {

constexpr uint64_t kLibrary = 0x500000, kNowhere = 0x900000;

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
    recording_.AddSoftwareEvent(kSampleIp | kSampleTid | kSampleTime |
                                kSampleCallchain);
    Map("/opt/app", kProgram);
    Map("/opt/lib.so", kLibrary);
  }

  EventAttr& attr() { return recording_.events[0].attr; }
  void Map(const std::string& name, uint64_t start, int32_t pid = 7,
           uint16_t mode = kMiscUser) {
    recording_.Add(MmapOf(pid, name, start), {}, mode);
  }
  void Add(int times, const std::vector<uint64_t>& chain) {
    for (int i = 0; i < times; ++i) {
      SampleRecord sample;
      sample.ip = chain[1];
      sample.pid = sample.tid = 7;
      sample.time = ++time_;
      sample.nr = chain.size();
      sample.ips = SpanOf(chain);
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

  // Returns the ids of what a conversion to the format finds.
  Ids FindingsOf(const std::string& format) {
    const ByteVector file = AsFile(recording_);
    TextOutput out;
    ConvertReport report;
    EXPECT_TRUE(
        Convert(MemoryInput(file), *FindEmitter(format), out, options_, &report)
            .ok());
    return IdsOf(report);
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
            "no frame pointers: 67 % of user stacks show no known caller");
  EXPECT_EQ(report.findings[0].next_step,
            "record with --call-graph dwarf, or build with "
            "-fno-omit-frame-pointer");
}

TEST_F(DiagnosisTest, AThirdOfTheStacksIsBroken) {
  Add(20, {kContextUser, kProgram + 8, kProgram + 0x88});
  Add(9, {kContextUser, kProgram + 8});
  EXPECT_EQ(IdsOf(Report()), Ids());
  Add(1, {kContextUser, kProgram + 16});
  const ConvertReport report = Report();
  EXPECT_EQ(report.stacks.broken(), 10u);
  ASSERT_EQ(IdsOf(report), Ids{"no-frame-pointers"});
  EXPECT_EQ(report.findings[0].message,
            "no frame pointers: 33 % of user stacks show no known caller");
}

// Of a program without a C library, which is all that was mapped.
TEST_F(DiagnosisTest, AProgramMayBeOneFrameDeep) {
  recording_.records.clear();
  Map("/opt/app", kProgram);
  Map("[vdso]", kLibrary);
  Add(30, {kContextUser, kProgram + 8});
  const ConvertReport report = Report();
  EXPECT_EQ(report.facts.mapped_files, 1u);
  EXPECT_EQ(report.stacks.without_callers, 30u);
  EXPECT_EQ(IdsOf(report), Ids());
  // It has functions that call others, so that all do but the first.
  Add(1, {kContextUser, kProgram + 8, kProgram + 0x88});
  EXPECT_EQ(IdsOf(Report()), Ids{"no-frame-pointers"});
}

// A long way through no code is one broken stack, as is a short one.
TEST_F(DiagnosisTest, StacksCountOnceHoweverLongTheyAre) {
  std::vector<uint64_t> astray = {kContextUser, kProgram + 8, kProgram + 0x88};
  for (uint64_t i = 0; i < 100; ++i) astray.push_back(kNowhere + 8 * i);
  Add(9, astray);
  Add(21, {kContextUser, kProgram + 8, kProgram + 0x88});
  ConvertReport report = Report();
  EXPECT_EQ(report.stacks.callers, 930u);
  EXPECT_EQ(report.stacks.unmapped_callers, 900u);
  EXPECT_EQ(report.stacks.mostly_unmapped, 9u);
  EXPECT_EQ(IdsOf(report), Ids());
  Add(3, {kContextUser, kProgram + 8, kNowhere});
  report = Report();
  EXPECT_EQ(report.stacks.without_callers, 3u);
  ASSERT_EQ(IdsOf(report), Ids{"no-frame-pointers"});
  EXPECT_EQ(report.findings[0].message,
            "no frame pointers: 36 % of user stacks show no known caller, or "
            "mostly unknown ones");
}

// The C library's start code, which calls main, is built without.
TEST_F(DiagnosisTest, TheOuterEndOfAStackMayBeUnmapped) {
  Add(30, {kContextUser, kProgram + 8, kLibrary + 0x88, kNowhere});
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
            "no frame pointers: 100 % of user stacks show mostly unknown "
            "callers");
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

TEST_F(DiagnosisTest, ProfilesOfBranchesHaveNoCallersToMiss) {
  attr().sample_type &= ~uint64_t{kSampleCallchain};
  Add(30, {kContextUser, kProgram + 8});
  options_.symbolize = false;
  EXPECT_EQ(FindingsOf("folded"), Ids{"no-call-graphs"});
  for (const char* format : {"autofdo", "bolt", "profgen"}) {
    EXPECT_EQ(FindingsOf(format), Ids()) << format;
  }
}

TEST_F(DiagnosisTest, CacheLinesNeedDataAddresses) {
  const EmitterInfo& csv = *FindEmitter("csv");
  options_.symbolize = false;
  options_.emitter_options = WithDefaults(csv, {{"table", "cachelines"}});
  Add(1, {kContextUser, kProgram + 8});
  EXPECT_EQ(FindingsOf("csv"), Ids{"no-data-addresses"});
  // A table of samples needs none.
  options_.emitter_options = WithDefaults(csv, {{"table", "samples"}});
  EXPECT_EQ(FindingsOf("csv"), Ids());
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

}  // namespace
}  // namespace perf2x
