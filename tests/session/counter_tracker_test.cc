// SPDX-License-Identifier: Apache-2.0
#include "converter/session/counter_tracker.h"

#include "tests/session/tracker_test.h"

namespace perf2x {
namespace {

class CounterTrackerTest : public TrackerTest {
 protected:
  CounterTrackerTest() : TrackerTest({.counters = true}) {
    EventAttr attr;
    attr.sample_type = kSampleIdentifier | kSampleTid | kSampleTime;
    attr.flags = uint64_t{1} << 18;  // sample_id_all
    attr.read_format = kReadTotalTimeEnabled | kReadTotalTimeRunning | kReadId;
    AddEvent(attr, {11});
    tables_.events = {{.name = "cycles"}};
  }
  absl::Status Read(uint64_t time, uint64_t value) {
    ReadRecord read;
    read.pid = 7;
    read.tid = 8;
    read.read.value = value;
    read.read.id = 11;
    read.read.time_enabled = 10;
    read.read.time_running = 5;
    return counters_.Apply(read, At(time, read));
  }
  absl::Status Stat(uint64_t id, uint64_t value, uint32_t thread) {
    StatRecord stat;
    stat.id = id;
    stat.cpu = 2;
    stat.thread = thread;
    stat.value = value;
    stat.enabled = stat.running = 100;
    return counters_.ApplyStat(Encoded(stat, EventAttr()));
  }
  absl::Status Round(uint64_t time) {
    StatRoundRecord round;
    round.time = time;
    return counters_.ApplyStat(Encoded(round, EventAttr()));
  }

  Budget budget_;
  EventTracker events_{attrs_, tables_, nullptr, diagnostics_, budget_};
  CounterTracker counters_{attrs_, events_, threads_, sink_, diagnostics_};
};

TEST_F(CounterTrackerTest, ReadRecordsAreWhatWasCountedSinceTheLastOne) {
  ASSERT_TRUE(Read(1, 100).ok());
  ASSERT_TRUE(Read(2, 130).ok());
  EXPECT_EQ(Take(), (Lines{"thread 7/8 :8 @1", "counter cycles :8cpu=-1 100 @1",
                           "counter cycles :8cpu=-1 30 @2"}));
  const auto times = counters_.times().ByEvent();
  ASSERT_EQ(times.size(), 1u);
  EXPECT_EQ(times[0].enabled, 10u);
  EXPECT_EQ(times[0].running, 5u);
}

TEST_F(CounterTrackerTest, ACounterThatRunsBackwardsStartsAgain) {
  ASSERT_TRUE(Read(1, 100).ok());
  ASSERT_TRUE(Read(2, 30).ok());
  EXPECT_EQ(Take().back(), "counter cycles :8cpu=-1 30 @2");
  EXPECT_EQ(Diagnosed(),
            (Lines{"1 x counter runs backwards; counted from 0 again"}));
}

TEST_F(CounterTrackerTest, StatValuesAreReportedWithTheirRound) {
  ASSERT_TRUE(Stat(11, 40, 0).ok());
  EXPECT_TRUE(Take().empty());
  EXPECT_TRUE(counters_.has_stat_values());
  ASSERT_TRUE(Round(9).ok());
  EXPECT_EQ(Take(), (Lines{"counter cycles cpu=2 40 @9"}));
  ASSERT_TRUE(Round(10).ok());
  EXPECT_TRUE(Take().empty());
}

TEST_F(CounterTrackerTest, StatValuesWithoutARoundAreCounted) {
  ASSERT_TRUE(Stat(11, 40, 0).ok());
  ASSERT_TRUE(Stat(11, 50, 0).ok());
  counters_.EndRounds();
  EXPECT_TRUE(Take().empty());
  EXPECT_EQ(Diagnosed(),
            (Lines{"2 x STAT record of a round that does not end"}));
}

TEST_F(CounterTrackerTest, ValuesOfTheLastRoundMayComeAgain) {
  ASSERT_TRUE(Stat(11, 40, 0).ok());
  ASSERT_TRUE(Round(9).ok());
  Take();
  ASSERT_TRUE(Stat(11, 40, 0).ok());
  counters_.EndRounds();
  EXPECT_EQ(Diagnosed(), Lines());
  ASSERT_TRUE(Stat(11, 41, 0).ok());
  counters_.EndRounds();
  EXPECT_EQ(Diagnosed(),
            (Lines{"1 x value of perf stat after its last round, not shown"}));
}

TEST_F(CounterTrackerTest, AShortThreadMapIsCounted) {
  ASSERT_TRUE(counters_.ApplyStat(Raw(kRecordThreadMap)).ok());
  EXPECT_EQ(Diagnosed().size(), 1u);
}

TEST_F(CounterTrackerTest, StatValuesOfOtherEventsAreCounted) {
  ASSERT_TRUE(Stat(0, 40, 0).ok());
  ASSERT_TRUE(Stat(99, 40, 0).ok());
  ASSERT_TRUE(counters_.ApplyStat(Raw(kRecordStat)).ok());
  EXPECT_FALSE(counters_.has_stat_values());
  EXPECT_EQ(Diagnosed().size(), 3u);
}

}  // namespace
}  // namespace perf2x
