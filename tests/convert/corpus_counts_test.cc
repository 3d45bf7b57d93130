// SPDX-License-Identifier: Apache-2.0

// Samples and periods per event of every recording of the corpus, against what
// perf itself counts.

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "absl/strings/match.h"
#include "converter/convert/convert.h"
#include "tests/support/corpus.h"
#include "tests/support/read_recording.h"

namespace perf2x {
namespace {

using Counts = std::map<std::string, uint64_t>;

struct Counted {
  absl::Status status;
  ConvertReport report;
  Counts samples, period;
};

Counted Count(const CorpusEntry& entry) {
  Counted result;
  ConvertOptions options;
  options.symbolize = false;
  options.itrace =
      *ParseItraceOptions("e");  // perf's counts have no samples of traces
  result.status =
      ReadRecording(RecordingOf(entry), options, {}, &result.report);
  for (const auto& event : result.report.events) {
    if (event.samples == 0) continue;
    result.samples[event.name] += event.samples;
    result.period[event.name] += event.period;
  }
  return result;
}

// The name of an event without what perf puts behind its colon (":pppH").
std::string WithoutModifiers(const std::string& name) {
  const size_t colon = name.rfind(':');
  if (colon == std::string::npos ||
      name.find_first_not_of("ukhpHGP", colon + 1) != std::string::npos) {
    return name;
  }
  return name.substr(0, colon);
}

// Why an event may be called other than perf calls it; empty: it may not.
std::string WhyNameDiffers(const CorpusEntry& entry) {
  if (absl::StartsWith(entry.id, "s390x-")) {
    return "perf on x86 does not find the names of a big-endian EVENT_DESC";
  }
  if (absl::StartsWith(entry.id, "hiperf-")) {
    return "perf passes over the names that hiperf gives";
  }
  if (entry.id == "quipper_hist-perf.data.piped-4.13") {
    return "perf forgets the names of an EVENT_DESC ahead of the attrs";
  }
  if (absl::StartsWith(entry.id, "simpleperf-")) {
    return "made up names lost the default modifiers between perf 6.1 and 7.3";
  }
  return "";
}

// `ours` under perf's names where only the names differ, for a reason.
Counts UnderNamesOfPerf(const CorpusEntry& entry, const Counts& ours,
                        const Counts& perfs) {
  if (WhyNameDiffers(entry).empty()) return ours;
  Counts out;
  for (const auto& [name, count] : ours) {
    std::string known = name;
    for (const auto& [other, unused] : perfs) {
      if (WithoutModifiers(other) == WithoutModifiers(name) ||
          (name == "hw-cpu-cycles" && other == "cycles:HG") ||
          // simpleperf's own names
          (absl::StartsWith(name, "cpu-cycles") &&
           absl::StartsWith(other, "cycles")) ||
          (name == "idq.ms_uops" && other == "raw 0x533079")) {
        known = other;
      }
    }
    out[known] += count;
  }
  return out;
}

// Returns how many recordings were compared.
int CompareCounts(const CorpusEntries& entries) {
  int compared = 0;
  for (const CorpusEntry& entry : entries) {
    if (entry.samples.empty()) continue;
    SCOPED_TRACE(entry.id + " (" + entry.exercises + ")");
    const Counted result = Count(entry);
    EXPECT_TRUE(result.status.ok()) << result.status;
    EXPECT_EQ(UnderNamesOfPerf(entry, result.samples, entry.samples),
              entry.samples);
    EXPECT_EQ(UnderNamesOfPerf(entry, result.period, entry.period),
              entry.period);
    ++compared;
  }
  return compared;
}

TEST(CorpusCountsTest, SamplesAndPeriodsAreThoseOfPerf) {
  EXPECT_GT(CompareCounts(OwnRecordings()), 165);
}

TEST(CorpusCountsTest, SamplesAndPeriodsOfThirdPartiesAreThoseOfPerf) {
  if (FullCorpus().empty()) GTEST_SKIP() << NoCorpusMessage();
  EXPECT_GT(CompareCounts(ThirdPartyRecordings()), 50);
}

}  // namespace
}  // namespace perf2x
