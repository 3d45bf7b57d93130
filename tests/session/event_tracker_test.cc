// SPDX-License-Identifier: Apache-2.0
#include "converter/session/event_tracker.h"

#include "tests/session/tracker_test.h"
#include "tests/support/tracing_data.h"

namespace perf2x {
namespace {

class EventTrackerTest : public TrackerTest {
 protected:
  Budget budget_;
  EventTracker events_{attrs_, tables_, nullptr, diagnostics_, budget_};
};

TEST_F(EventTrackerTest, TheTableGrowsWithTheRecordingsEvents) {
  EventAttr attr;
  attr.type = kTypeSoftware;
  attr.config = kSoftwareCpuClock;
  attr.sample_period = 1000;
  AddEvent(attr, {11});
  EXPECT_TRUE(tables_.events.empty());
  events_.SyncIfStale();
  ASSERT_EQ(tables_.events.size(), 1u);
  EXPECT_EQ(tables_.events[0].name, attrs_.events()[0].name);
  EXPECT_EQ(tables_.events[0].unit, "nanoseconds");
  EXPECT_EQ(tables_.events[0].period, 1000u);
  EXPECT_FALSE(events_.has_deferred_callchains());
  attr.config = 2;                 // page faults
  attr.flags = uint64_t{1} << 38;  // defer_callchain
  AddEvent(attr, {12});
  events_.SyncIfStale();
  ASSERT_EQ(tables_.events.size(), 2u);
  EXPECT_EQ(tables_.events[1].unit, "count");
  EXPECT_EQ(tables_.events[1].kind, EventKind::kPageFault);
  EXPECT_TRUE(events_.has_deferred_callchains());
  EXPECT_FALSE(events_.has_offcpu());
}

TEST_F(EventTrackerTest, CountsSamplesByEvent) {
  AddEvent({}, {11});
  AddEvent({}, {12});
  events_.Sync();
  events_.CountSample(1, 5);
  events_.CountSample(1, 6);
  EXPECT_EQ(events_.totals()[0].samples, 0u);
  EXPECT_EQ(events_.totals()[1].samples, 2u);
  EXPECT_EQ(events_.totals()[1].period, 11u);
}

TEST_F(EventTrackerTest, SumsThatExceed64BitsAreCountedAndStayLargest) {
  AddEvent({}, {11});
  events_.Sync();
  events_.CountSample(0, ~uint64_t{0} - 1);
  events_.CountSample(0, 1);
  EXPECT_TRUE(Diagnosed().empty());
  events_.CountSample(0, 5);
  events_.CountSample(0, 0);
  EXPECT_EQ(events_.totals()[0].period, ~uint64_t{0});
  EXPECT_EQ(events_.totals()[0].samples, 4u);
  ASSERT_EQ(Diagnosed().size(), 1u);
}

TEST_F(EventTrackerTest, DamagedTracingDataAreCountedAndTriedAFewTimes) {
  EventAttr attr;
  attr.type = kTypeTracepoint;
  AddEvent(attr);
  events_.Sync();
  for (int i = 0; i < 10; ++i) {
    RawRecord record = Raw(kRecordHeaderTracingData);
    const std::vector<uint8_t> payload = {1, 2, 3};
    record.payload = payload;
    events_.ObserveTracingData(record);
  }
  ASSERT_EQ(Diagnosed().size(), 1u);
  EXPECT_EQ(Diagnosed()[0].substr(0, 3), "4 x");
  EXPECT_EQ(events_.FormatOf(attr), nullptr);
}

// The name of an event that has none is its tracepoint's. What it was before
// does not matter for what it costs.
TEST_F(EventTrackerTest, UpdatesDoNotChangeTheMemoryOfNames) {
  EventAttr attr;
  attr.type = kTypeTracepoint;
  attr.config = 5;
  attr.sample_type = kSampleIdentifier;
  AddEvent(attr, {77});
  events_.Sync();
  const uint64_t without = events_.memory();
  const std::string name(200, 'n');
  const std::vector<uint8_t> data =
      TracingData(kHostOrder, "sys", {TracepointFormatText(name, 5, "")});
  RawRecord record = Raw(kRecordHeaderTracingData);
  record.payload = data;
  events_.ObserveTracingData(record);
  ASSERT_EQ(tables_.events[0].name, "sys:" + name);
  const uint64_t with = events_.memory();
  // Of the name, and of the format.
  EXPECT_GE(with, without + 3 * (4 + 200 - attrs_.events()[0].name.size()) +
                      sizeof(TracepointFormat) + 200);
  std::vector<uint8_t> scale(24);
  Store(uint64_t{1}, &scale[0], kHostOrder);
  Store(uint64_t{77}, &scale[8], kHostOrder);
  for (int i = 0; i < 3; ++i) {
    const uint32_t version = attrs_.version();
    attrs_.Observe(Raw(kRecordEventUpdate, 0, scale));
    ASSERT_NE(attrs_.version(), version);
    events_.SyncIfStale();
    EXPECT_EQ(events_.memory(), with);
  }
}

}  // namespace
}  // namespace perf2x
