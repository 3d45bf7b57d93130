// SPDX-License-Identifier: Apache-2.0

// What `perf2x info` says of every recording of the corpus, against perf.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "converter/inspect/inspect.h"
#include "converter/inspect/recording_info.h"
#include "converter/perf/records/all_records.h"
#include "tests/support/corpus.h"
#include "tests/support/perf_header_lines.h"

namespace perf2x {
namespace {

absl::StatusOr<RecordingInfo> InfoOf(const CorpusEntry& entry) {
  auto input = OpenInput(RecordingOf(entry));
  if (!input.ok()) return input.status();
  Diagnostics diagnostics;
  return ReadRecordingInfo(*std::move(input), &diagnostics);
}

// Where perf's text is not what the recording says.
struct Exception {
  const char* id;    // how the recording's id starts
  const char* fact;  // how the line starts
  const char* why;
};
constexpr Exception kNotFacts[] = {
    {"x86-killed9", "", "perf fills in for a header that was never written"},
    {"x86-p7_", "cmdline", "the truth was relieved of a path"},
    {"x86-v1-format", "event cpu-clock:ppp: size",
     "perf reads the attr in EVENT_DESC, not the event's own"},
    {"autofdo-ro_sample", "Core ID and Socket ID",
     "perf 6.1 rejects core numbers that are as high as theirs"},
    {"broken-", "", "perf fills in for sections that are gone"},
    {"fuzz-", "", "likewise"},
};
bool IsFact(const CorpusEntry& entry, const std::string& fact) {
  return std::none_of(std::begin(kNotFacts), std::end(kNotFacts),
                      [&](const Exception& e) {
                        return absl::StartsWith(entry.id, e.id) &&
                               absl::StartsWith(fact, e.fact);
                      });
}

// perf's name of a record type, from perf_event__name().
std::string NameInPerf(absl::string_view name) {
  for (const char* type :
       {"ATTR", "EVENT_TYPE", "TRACING_DATA", "BUILD_ID", "FEATURE"}) {
    if (name == absl::StrCat("HEADER_", type)) return type;
  }
  return std::string(name);
}

size_t CompareFacts(const CorpusEntries& entries) {
  size_t compared = 0;
  for (const CorpusEntry& entry : entries) {
    std::set<std::string> perfs;
    for (const std::string& fact : FactsOfPerf(TruthOf(entry, "info"))) {
      if (IsFact(entry, fact)) perfs.insert(fact);
    }
    if (perfs.empty()) continue;
    SCOPED_TRACE(entry.id);
    const auto info = InfoOf(entry);
    if (!info.ok()) {
      ADD_FAILURE() << info.status();
      continue;
    }
    const std::set<std::string> ours = PerfHeaderLines(ToJson(Describe(*info)));
    for (const std::string& fact : perfs) {
      EXPECT_TRUE(ours.count(fact) > 0) << fact;
      ++compared;
    }
  }
  return compared;
}

TEST(CorpusInfoTest, HoldsEveryFactThatPerfPrints) {
  EXPECT_GT(CompareFacts(OwnRecordings()), 9000u);
}

TEST(CorpusInfoTest, HoldsEveryFactThatPerfPrintsOfThirdParties) {
  if (FullCorpus().empty()) GTEST_SKIP() << NoCorpusMessage();
  EXPECT_GT(CompareFacts(ThirdPartyRecordings()), 900u);
}

size_t CompareRecordCounts(const CorpusEntries& entries) {
  size_t compared = 0;
  for (const CorpusEntry& entry : entries) {
    // perf counts the record that runs past the end, too.
    if (entry.records.empty() || entry.id == "broken-oversize_record.data") {
      continue;
    }
    SCOPED_TRACE(entry.id);
    const auto info = InfoOf(entry);
    if (!info.ok()) {
      ADD_FAILURE() << info.status();
      continue;
    }
    std::map<std::string, uint64_t> ours;
    for (const auto& [type, r] : info->records) {
      ours[NameInPerf(RecordName(type))] = r.count;
    }
    ours["COMPRESSED"] = info->bytes.compressed_records;
    ours["COMPRESSED2"] = info->bytes.compressed2_records;
    for (const auto& [name, count] : entry.records) {
      if (name == "TOTAL") continue;
      EXPECT_EQ(ours[name], count) << name;
    }
    ++compared;
  }
  return compared;
}

TEST(CorpusInfoTest, CountsRecordsAsPerfDoes) {
  EXPECT_GT(CompareRecordCounts(OwnRecordings()), 170u);
}

TEST(CorpusInfoTest, CountsRecordsAsPerfDoesOfThirdParties) {
  if (FullCorpus().empty()) GTEST_SKIP() << NoCorpusMessage();
  EXPECT_GT(CompareRecordCounts(ThirdPartyRecordings()), 90u);
}

// Every byte of the data section is a record's, a payload's, or counted as
// damaged.
void CheckBytes(const CorpusEntries& entries) {
  for (const CorpusEntry& entry : entries) {
    SCOPED_TRACE(entry.id);
    const auto info = InfoOf(entry);
    if (!info.ok()) continue;
    const ByteAccount& b = info->bytes;
    EXPECT_EQ(b.record_bytes + b.payload + b.damaged,
              b.data - b.compressed + b.decompressed);
  }
}

TEST(CorpusInfoTest, AccountsForEveryByte) { CheckBytes(OwnRecordings()); }

TEST(CorpusInfoTest, AccountsForEveryByteOfThirdParties) {
  if (FullCorpus().empty()) GTEST_SKIP() << NoCorpusMessage();
  CheckBytes(ThirdPartyRecordings());
}

}  // namespace
}  // namespace perf2x
