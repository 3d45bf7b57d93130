// SPDX-License-Identifier: Apache-2.0

// On every recording: each byte of the data is a record's, a payload's or
// damaged, and each sample is in the output or in the count of those that are
// not. The summary says what was left out.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "converter/base/text.h"
#include "converter/cli/report.h"
#include "converter/inspect/recording_info.h"
#include "tests/support/corpus.h"
#include "tests/support/hostile.h"

namespace perf2x {
namespace {

namespace fs = std::filesystem;

void CheckRecording(const std::string& path) {
  SCOPED_TRACE(path);
  auto input = OpenInput(path);
  if (!input.ok()) return;  // no recording, said so
  Diagnostics diagnostics;
  const auto info = ReadRecordingInfo(*std::move(input), &diagnostics);
  input = OpenInput(path);
  const Outcome outcome = ConvertHostile(*std::move(input));
  ASSERT_EQ(info.ok(), outcome.status.ok()) << outcome.status;
  if (!info.ok()) {
    EXPECT_FALSE(outcome.status.message().empty());
    return;
  }
  EXPECT_TRUE(outcome.BytesAddUp());

  uint64_t skipped = 0, skipped_bytes = 0, idle = 0, damage = 0;
  uint64_t unended = 0;  // the last sched_switch of a thread of simpleperf
  const std::string summary = SummaryText(outcome.report, /*verbose=*/false);
  for (const auto& [what, entry] : outcome.report.diagnostics.entries()) {
    if (entry.severity == Diagnostics::Severity::kDamage) {
      damage += entry.bytes;
    }
    if (what == "SAMPLE record in which no counter grew") {
      idle += entry.count;
    }
    if (what == "sleep that had not ended when the recording did") {
      unended += entry.count;
    }
    if (entry.severity != Diagnostics::Severity::kSkipped) continue;
    skipped_bytes += entry.bytes;
    if (absl::StartsWith(what, "SAMPLE record ")) skipped += entry.count;
    EXPECT_TRUE(absl::StrContains(summary, PlainText(what))) << summary;
    EXPECT_TRUE(absl::StrContains(summary, absl::StrCat(entry.count, "x")));
  }
  EXPECT_LE(outcome.report.bytes.damaged, damage);
  EXPECT_LE(skipped_bytes, outcome.report.bytes.record_bytes) << summary;

  const auto samples = info->records.find(kRecordSample);
  const uint64_t recorded =
      samples == info->records.end() ? 0 : samples->second.count;
  const bool groups = std::any_of(
      info->events.begin(), info->events.end(), [](const RecordedEvent& e) {
        return (e.attr.sample_type & kSampleRead) != 0;
      });
  if (groups || outcome.report.facts.has_hardware_trace) {
    // One record is a sample of each member; traces have samples of their own.
    EXPECT_GE(outcome.samples + skipped + idle, recorded) << summary;
  } else {
    EXPECT_EQ(outcome.samples + skipped + unended, recorded) << summary;
  }
}

TEST(AccountingTest, RecordingsOfTheTests) {
  size_t seen = 0;
  for (const auto& entry : fs::directory_iterator("testdata")) {
    if (entry.path().extension() != ".data") continue;
    CheckRecording(entry.path());
    ++seen;
  }
  EXPECT_GT(seen, 15u);
}

TEST(AccountingTest, RecordingsOfTheCorpus) {
  for (const CorpusEntry& entry : OwnRecordings()) {
    CheckRecording(RecordingOf(entry));
  }
}

TEST(AccountingTest, RecordingsOfThirdParties) {
  if (FullCorpus().empty()) GTEST_SKIP() << NoCorpusMessage();
  for (const CorpusEntry& entry : ThirdPartyRecordings()) {
    CheckRecording(RecordingOf(entry));
  }
}

}  // namespace
}  // namespace perf2x
