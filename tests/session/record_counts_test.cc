// SPDX-License-Identifier: Apache-2.0
#include "converter/session/record_counts.h"

#include "tests/session/tracker_test.h"

namespace perf2x {
namespace {

class RecordCountsTest : public TrackerTest {
 protected:
  Lines ByType(const ByteAccount& bytes = {}) {
    Lines lines;
    for (const auto& c : counts_.ByType(bytes)) {
      lines.push_back(absl::StrCat(c.type, " ", c.records, " ", c.bytes));
    }
    return lines;
  }
  Budget budget_;
  RecordCounts counts_{budget_, diagnostics_};
};

TEST_F(RecordCountsTest, CountsRecordsAndBytesByType) {
  EXPECT_TRUE(counts_.Admit(Raw(kRecordSample, 0, {1, 2, 3, 4})));
  counts_.CountSample(20);
  EXPECT_TRUE(counts_.Admit(Raw(kRecordHeaderAttr)));
  EXPECT_TRUE(counts_.Admit(Raw(5000)));
  RawRecord replayed = Raw(kRecordComm);
  replayed.replayed = true;
  EXPECT_TRUE(counts_.Admit(replayed));
  OrderedReader::SkippedRecords skipped;
  skipped.type = kRecordSwitch;
  skipped.records = 3;
  skipped.bytes = 48;
  skipped.first_time = 5;
  skipped.last_time = 9;
  counts_.CountSkipped(skipped);
  EXPECT_EQ(ByType(), (Lines{"SAMPLE 2 32", "SWITCH 3 48", "ATTR 1 8",
                             "UNKNOWN_5000 1 8"}));
  EXPECT_EQ(counts_.first_time(), 5u);
  EXPECT_EQ(counts_.last_time(), 9u);
  EXPECT_TRUE(counts_.has(kRecordSwitch));
  EXPECT_FALSE(counts_.has(kRecordComm));
}

TEST_F(RecordCountsTest, TypesWithoutEndShareOneCount) {
  for (uint32_t type = 1000; type < 3000; ++type) {
    counts_.Admit(Raw(type));
    counts_.SkipUnknown(Raw(type));
  }
  EXPECT_EQ(ByType().size(), 1025u);
  EXPECT_EQ(ByType().back(), "UNKNOWN 976 7808");
  EXPECT_EQ(Diagnosed().size(), 17u);
}

TEST_F(RecordCountsTest, NotesTheFirstAndTheLastTime) {
  counts_.NoteTime(std::nullopt);
  EXPECT_FALSE(counts_.first_time().has_value());
  counts_.NoteTime(7);
  counts_.NoteTime(3);
  EXPECT_EQ(counts_.first_time(), 3u);
  EXPECT_EQ(counts_.last_time(), 7u);
}

// Of perf's own records, those that a conversion lacks.
TEST_F(RecordCountsTest, SkippedDataIsCounted) {
  budget_.Spend(Budget::kWork, ~uint64_t{0} / 2);
  counts_.CheckBudget();
  for (const uint32_t type : {kRecordFinishedRound, kRecordStatRound}) {
    EXPECT_FALSE(counts_.Admit(Raw(type)));
  }
  counts_.ReportSkipped();
  EXPECT_TRUE(Diagnosed().empty());
  const std::vector<uint8_t> payload(100);
  RawRecord trace = Raw(kRecordAuxtrace);
  trace.payload = payload;
  EXPECT_FALSE(counts_.Admit(trace));
  for (const uint32_t type :
       {uint32_t{kRecordAuxtraceInfo}, uint32_t{kRecordTimeConv},
        uint32_t{kRecordHeaderFeature}, uint32_t{kRecordSimpleperfSymbol},
        uint32_t{5000}}) {
    EXPECT_FALSE(counts_.Admit(Raw(type)));
  }
  counts_.ReportSkipped();
  ASSERT_EQ(Diagnosed().size(), 1u);
  EXPECT_EQ(Diagnosed()[0].substr(0, 3), "6 x");
}

TEST_F(RecordCountsTest, RecordsAreSkippedOnceTheBudgetIsFoundExhausted) {
  budget_.Spend(Budget::kWork, ~uint64_t{0} / 2);
  ASSERT_TRUE(budget_.exhausted());
  EXPECT_TRUE(counts_.Admit(Raw(kRecordSample)));  // has not been looked at
  counts_.CheckBudget();
  EXPECT_TRUE(counts_.skips_all());
  EXPECT_FALSE(counts_.Admit(Raw(kRecordSample)));
  EXPECT_FALSE(counts_.Admit(Raw(kRecordStat)));        // counters' values
  EXPECT_FALSE(counts_.Admit(Raw(kRecordHeaderAttr)));  // nothing measured
  counts_.SkipSample(/*offset=*/0, /*bytes=*/24);
  counts_.ReportSkipped();
  ASSERT_EQ(Diagnosed().size(), 1u);
  EXPECT_EQ(Diagnosed()[0].substr(0, 3), "3 x");
  // Skipped records are counted by type, too.
  EXPECT_EQ(ByType(), (Lines{"SAMPLE 3 40", "ATTR 1 8", "STAT 1 8"}));
}

TEST_F(RecordCountsTest, ACheckIsDueAfterManyRecordsOrBytes) {
  for (int i = 0; i < 4095; ++i) counts_.CountSample(8);
  EXPECT_FALSE(counts_.is_check_due());
  counts_.CountTowardCheck(8);
  EXPECT_TRUE(counts_.is_check_due());
  counts_.CheckBudget();
  EXPECT_FALSE(counts_.is_check_due());
  for (int i = 0; i < 15; ++i) counts_.CountSample(1 << 16);
  EXPECT_FALSE(counts_.is_check_due());
  counts_.CountSample(1 << 16);
  EXPECT_TRUE(counts_.is_check_due());
}

}  // namespace
}  // namespace perf2x
