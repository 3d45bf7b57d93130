// SPDX-License-Identifier: Apache-2.0
#include "converter/session/record_tee.h"

#include "tests/session/tracker_test.h"

namespace perf2x {
namespace {

class RecordTeeTest : public TrackerTest {
 protected:
  RecordTeeTest() : TrackerTest({.records = true}) {
    attr_.sample_type = kSampleTid | kSamplePeriod;
    AddEvent(attr_);
  }
  const RawRecord& Exit(int32_t pid) {
    ExitRecord exit;
    exit.pid = pid;
    return Encoded(exit, attr_);
  }
  EventAttr attr_;
};

TEST_F(RecordTeeTest, ReportsPlainFields) {
  RecordTee tee(attrs_, sink_, /*selects_samples=*/false);
  ASSERT_TRUE(tee.Observe(Exit(7), 5).ok());
  ASSERT_TRUE(
      tee.Observe(Encoded(SwitchRecord(), attr_, kMiscSwitchOut), 6).ok());
  EXPECT_EQ(Take(), (Lines{"record EXIT pid=7 ppid ptid @5",
                           "record SWITCH pid=-1 switch preempted @6"}));
  RawRecord replayed = Exit(7);
  replayed.replayed = true;
  ASSERT_TRUE(tee.Observe(replayed, 5).ok());
  EXPECT_TRUE(Take().empty());
}

TEST_F(RecordTeeTest, SamplesWaitUntilTheyAreSelected) {
  RecordTee tee(attrs_, sink_, /*selects_samples=*/true);
  SampleRecord sample;
  sample.pid = 7;
  const RawRecord& raw = Encoded(sample, attr_);
  ASSERT_TRUE(tee.Observe(raw, 5).ok());
  EXPECT_TRUE(Take().empty());
  ASSERT_TRUE(tee.ReportSelected().ok());
  ASSERT_TRUE(tee.ReportSelected().ok());
  EXPECT_EQ(Take(), (Lines{"record SAMPLE pid=7 period @5"}));
  EXPECT_TRUE(tee.waits_for_selection());
  // One that was not selected is forgotten.
  ASSERT_TRUE(tee.Observe(raw, 6).ok());
  tee.ForgetSample();
  ASSERT_TRUE(tee.ReportSelected().ok());
  EXPECT_TRUE(Take().empty());
  ASSERT_TRUE(tee.Observe(raw, 6).ok());
  ASSERT_TRUE(tee.Observe(Exit(7), 7).ok());
  ASSERT_TRUE(tee.ReportSelected().ok());
  EXPECT_EQ(Take(), (Lines{"record EXIT pid=7 ppid ptid @7"}));
}

// Samples are decoded in the memory of those before.
TEST_F(RecordTeeTest, ASampleHasNothingOfTheOneBefore) {
  RecordTee tee(attrs_, sink_, /*selects_samples=*/false);
  SampleRecord sample;
  sample.pid = 7;
  sample.period = 5;
  ASSERT_TRUE(tee.Observe(Encoded(sample, attr_), 5).ok());
  RawRecord cut = Encoded(sample, attr_);
  cut.body = cut.body.first(8);  // without the period
  ASSERT_TRUE(tee.Observe(cut, 6).ok());
  EXPECT_EQ(Take(), (Lines{"record SAMPLE pid=7 period @5",
                           "record SAMPLE pid=-1 @6"}));
}

TEST_F(RecordTeeTest, ARecordThatIsTooShortHasNoFields) {
  RecordTee tee(attrs_, sink_, /*selects_samples=*/false);
  RawRecord cut = Exit(7);
  cut.body = cut.body.first(6);
  ASSERT_TRUE(tee.Observe(cut, 6).ok());
  EXPECT_EQ(Take(), (Lines{"record EXIT pid=-1 @6"}));
}

// The trace has not begun.
class EarlyRecordsTest : public RecordTeeTest {
 protected:
  TraceSink late_sink_{emitter_,
                       {.before_begin = [] { return TraceInfo(); },
                        .after_begin = [this] { return tee_.ReportEarly(); }}};
  RecordTee tee_{attrs_, late_sink_, /*selects_samples=*/false};
};

TEST_F(EarlyRecordsTest, WaitForTheTraceToBegin) {
  ASSERT_TRUE(tee_.Observe(Exit(1), 1).ok());
  ASSERT_TRUE(tee_.Observe(Exit(2), 2).ok());
  EXPECT_TRUE(Take().empty());
  ASSERT_TRUE(late_sink_.EnsureBegun().ok());
  EXPECT_EQ(Take(), (Lines{"begin ", "record EXIT pid=1 ppid ptid @1",
                           "record EXIT pid=2 ppid ptid @2"}));
}

TEST_F(EarlyRecordsTest, BeginTheTraceIfTheyAreTooMany) {
  const RawRecord& exit = Exit(1);
  for (int i = 0; i < (1 << 14) - 1; ++i) {
    ASSERT_TRUE(tee_.Observe(exit, i).ok());
  }
  EXPECT_FALSE(late_sink_.begun());
  ASSERT_TRUE(tee_.Observe(exit, 1).ok());
  EXPECT_TRUE(late_sink_.begun());
  EXPECT_EQ(Take().size(), 1u + (1 << 14));
}

}  // namespace
}  // namespace perf2x
