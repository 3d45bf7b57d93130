// SPDX-License-Identifier: Apache-2.0

// What a report by itself leads to: findings, and the text of the summary.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "converter/cli/report.h"
#include "converter/convert/convert.h"
#include "converter/convert/diagnosis.h"
#include "converter/perf/stream/record_reader.h"
#include "converter/session/aux_diagnostics.h"

namespace perf2x {
namespace {

// One event without samples, recorded for two seconds.
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

TEST_F(ReportTest, NoSamplesBeforeTheDamage) {
  constexpr auto kDamage = Diagnostics::Severity::kDamage;
  report_.diagnostics.Add(kDamage, "feature table is cut short");
  EXPECT_EQ(Only().message, "no samples: cpu-clock:u did not occur in 2.00 s");
  report_.diagnostics.Add(kDamage, "record of type 10 runs past the end", 9, 8);
  EXPECT_EQ(Only().message, "no samples: none come before the damage");
  EXPECT_EQ(Only().next_step, "copy the recording again, or record again");
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

TEST_F(ReportTest, NoSamplesInAProfile) {
  report_.facts = RecordingFacts();
  report_.is_profile = true;
  EXPECT_EQ(Only().message, "no samples: no value of the profile is above 0");
  EXPECT_EQ(Only().next_step, "");
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
  report_.diagnostics.Add(Diagnostics::Severity::kDamage, kUnfinishedRecording);
  EXPECT_TRUE(absl::StrContains(Only().message, "was not finished"));
}

TEST_F(ReportTest, NoSamplesOfAHardwareTrace) {
  constexpr auto kSkipped = Diagnostics::Severity::kSkipped;
  const std::string of_the_code =
      "the code was not found: pass --symfs with a folder that has it";
  report_.facts.has_hardware_trace = true;
  // Diagnostics are known by their whole message: these are others.
  report_.diagnostics.Add(kSkipped, "hardware trace that is not decoded");
  report_.diagnostics.Add(kSkipped, "symbols of a file (see --symfs)");
  EXPECT_TRUE(absl::StartsWith(Only().next_step, "--itrace chooses"));
  report_.diagnostics.Add(kSkipped, kMissingIntelPtCode);
  EXPECT_EQ(Only().next_step, of_the_code);
  report_.diagnostics = Diagnostics();
  report_.diagnostics.Add(kSkipped, kMissingCoreSightCode);
  EXPECT_EQ(Only().next_step, of_the_code);
  report_.facts.has_undecoded_trace = true;
  EXPECT_EQ(Only().next_step, "perf script --itrace=… decodes it");
}

TEST_F(ReportTest, NoSamplesOfAHardwareTraceThatIsMissing) {
  report_.diagnostics.Add(Diagnostics::Severity::kDamage,
                          "lost AUX data that the recording lacks");
  EXPECT_EQ(Only().message, "no samples: cpu-clock:u did not occur in 2.00 s");
  report_.diagnostics.Add(Diagnostics::Severity::kDamage, kMissingAuxData);
  EXPECT_EQ(Only().message,
            "no samples: the recording lacks its hardware trace (AUX)");
}

TEST_F(ReportTest, BranchesOfARecordingWithout) {
  report_.events[0].samples = 100;
  report_.shows_branches = true;
  EXPECT_EQ(Only().id, "no-branches");
  report_.facts.has_branches = true;
  EXPECT_TRUE(Diagnose(report_).empty());
}

TEST_F(ReportTest, CacheLinesOfARecordingWithoutDataAddresses) {
  report_.shows_accesses = true;
  EXPECT_EQ(Only().id, "no-samples");  // which is reason enough
  report_.events[0].samples = 100;
  EXPECT_EQ(Only().id, "no-data-addresses");
  EXPECT_EQ(Only().message,
            "no cache lines: the recording has no data addresses");
  EXPECT_TRUE(absl::StrContains(Only().next_step, "perf mem record"));
  report_.is_profile = true;
  EXPECT_EQ(Only().message,
            "no cache lines: a pprof profile has no data addresses");
  report_.is_profile = false;
  // They were asked for, but the event has none.
  report_.facts.has_data_addresses = true;
  EXPECT_EQ(Only().message,
            "no cache lines: no sample has the address of data");
  report_.facts.accesses = 1;
  EXPECT_TRUE(Diagnose(report_).empty());
  report_.facts.accesses = 0;
  report_.shows_accesses = false;
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
      "chrome, perfetto and firefox show them over time, csv and parquet have "
      "the table counters");
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
  report_.facts.incomplete_dumps = 4;
  report_.facts.dump_size = 8192;
  EXPECT_TRUE(Diagnose(report_).empty());
  report_.facts.incomplete_dumps = 5;
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

}  // namespace
}  // namespace perf2x
