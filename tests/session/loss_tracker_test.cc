// SPDX-License-Identifier: Apache-2.0
#include "converter/session/loss_tracker.h"

#include "converter/perf/records/user_records.h"
#include "tests/session/tracker_test.h"

namespace perf2x {
namespace {

class LossTrackerTest : public TrackerTest {
 protected:
  Budget budget_;
  EventTracker events_{attrs_, tables_, nullptr, diagnostics_, budget_};
  LossTracker losses_{attrs_, events_, threads_, sink_};
};

TEST_F(LossTrackerTest, CountsAndReportsLosses) {
  LostRecord lost;
  lost.lost = 5;
  LostSamplesRecord samples;
  samples.lost = 3;
  ASSERT_TRUE(losses_.Apply(lost, At(1, lost)).ok());
  ASSERT_TRUE(losses_.Apply(samples, At(2, samples)).ok());
  ASSERT_TRUE(losses_.Apply(samples, At(3, samples, kMiscLostSamplesBpf)).ok());
  EXPECT_EQ(Take(),
            (Lines{"lost 5 records cpu=1 @1", "lost 3 samples cpu=1 @2"}));
  EXPECT_EQ(losses_.lost_records(), 5u);
  EXPECT_EQ(losses_.lost_samples(), 3u);
  EXPECT_EQ(losses_.dropped_samples(), 3u);
  Lines lines;
  losses_.AppendLines(&lines);
  EXPECT_EQ(lines, (Lines{"5 records lost by the kernel (LOST)",
                          "3 samples lost by the kernel (LOST_SAMPLES)",
                          "3 samples dropped by a filter while recording"}));
}

TEST_F(LossTrackerTest, SumsThatExceed64BitsStayLargest) {
  LostRecord lost;
  LostSamplesRecord samples;
  lost.lost = samples.lost = uint64_t{1} << 63;
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(losses_.Apply(lost, At(1, lost)).ok());
    ASSERT_TRUE(losses_.Apply(samples, At(2, samples)).ok());
    ASSERT_TRUE(
        losses_.Apply(samples, At(3, samples, kMiscLostSamplesBpf)).ok());
  }
  EXPECT_EQ(losses_.lost_records(), ~uint64_t{0});
  EXPECT_EQ(losses_.lost_samples(), ~uint64_t{0});
  EXPECT_EQ(losses_.dropped_samples(), ~uint64_t{0});
}

TEST_F(LossTrackerTest, WithoutACpuTheThreadIsReported) {
  LostRecord lost;
  RecordContext context = At(1, lost);
  context.id.cpu = ~0u;
  ASSERT_TRUE(losses_.Apply(lost, context).ok());
  EXPECT_EQ(Take(), (Lines{"thread 7/8 :8 @1", "lost 0 records cpu=-1 @1"}));
}

TEST_F(LossTrackerTest, ThrottlingIsOfTheEventThatHasTheId) {
  AddEvent({}, {11});
  AddEvent({}, {12});
  tables_.events = {{.name = "cycles"}, {.name = "faults"}};
  ThrottleRecord begin;
  begin.id = 12;
  UnthrottleRecord end;
  end.id = 99;
  ASSERT_TRUE(losses_.Apply(begin, At(1, begin)).ok());
  ASSERT_TRUE(losses_.Apply(end, At(2, end)).ok());
  EXPECT_EQ(Take(), (Lines{"throttle faults @1", "unthrottle ? @2"}));
}

TEST_F(LossTrackerTest, OverwrittenAuxDataIsNoGap) {
  AuxRecord aux;
  aux.flags = 0x2;  // PERF_AUX_FLAG_OVERWRITE
  ASSERT_TRUE(losses_.Apply(aux, At(1, aux)).ok());
  EXPECT_TRUE(Take().empty());
  aux.flags = AuxRecord::kTruncated | AuxRecord::kCollision;
  ASSERT_TRUE(losses_.Apply(aux, At(2, aux)).ok());
  EXPECT_EQ(Take(),
            (Lines{"thread 7/8 :8 @2", "aux gap :8 truncated, collision @2"}));
  EXPECT_EQ(losses_.aux_gaps(), 1u);
  Lines lines;
  losses_.AppendLines(&lines);
  EXPECT_EQ(lines,
            Lines{"1 parts of a hardware trace lost while recording (AUX)"});
}

}  // namespace
}  // namespace perf2x
