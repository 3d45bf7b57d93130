// SPDX-License-Identifier: Apache-2.0
#include "converter/session/sample_queue.h"

#include "tests/session/int_field.h"
#include "tests/session/tracker_test.h"

namespace perf2x {
namespace {

class SampleQueueTest : public TrackerTest {
 protected:
  SchedTracker sched_{tables_, threads_, sink_};
};

TEST_F(SampleQueueTest, DelaysSamplesAndKeepsTheirOrder) {
  TraceTables tables;
  tables.events = {{.name = "cycles"}};
  tables.threads.push_back(
      {.pid = 7, .tid = 7, .name = tables.strings.Intern("sh")});
  RecordingEmitter emitter(tables);
  StackSubset chosen;
  SampleQueue queue(tables, emitter, chosen, sched_);
  const uint64_t callchain[] = {~uint64_t{511}, 0x1000};
  for (uint64_t time = 0; time < 18; ++time) {
    QueuedSample* slot = nullptr;
    ASSERT_TRUE(queue.Push(&slot).ok());
    slot->sample.time = time;
    slot->callchain = {reinterpret_cast<const uint8_t*>(callchain),
                       sizeof(callchain)};
    slot->SetHash(StackTable::HashOf(0, slot->callchain));
  }
  EXPECT_EQ(emitter.Take(),
            (std::vector<std::string>{"sample cycles sh period=1 @0",
                                      "sample cycles sh period=1 @1"}));
  ASSERT_TRUE(queue.Flush().ok());
  const std::vector<std::string> rest = emitter.Take();
  ASSERT_EQ(rest.size(), 16u);
  EXPECT_EQ(rest.front(), "sample cycles sh period=1 @2");
  EXPECT_EQ(rest.back(), "sample cycles sh period=1 @17");
  EXPECT_EQ(emitter.last_callchain(),
            (std::vector<uint64_t>{~uint64_t{511}, 0x1000}));
  ASSERT_TRUE(queue.Flush().ok());
  EXPECT_TRUE(emitter.Take().empty());
}

TEST_F(SampleQueueTest, ASwitchComesAfterItsSample) {
  tables_.events = {{.name = "switch"}};
  QueuedSample* slot = nullptr;
  StackSubset chosen;
  SampleQueue queue(tables_, emitter_, chosen, sched_);
  const ThreadId thread = *threads_.Announce(threads_.GetThread(7, 8), 0);
  Take();
  const TracepointFormat format(
      "sched", "sched_switch", kHostOrder,
      {IntField("prev_pid", 0), IntField("prev_state", 4),
       IntField("next_pid", 8)},
      "");
  const SchedNumbers numbers = {.tid = 8, .next_tid = 0, .state = 1};
  const uint64_t callchain[] = {~uint64_t{511}, 0x1000};
  const auto push = [&](uint64_t time) {
    ASSERT_TRUE(queue.Push(&slot).ok());
    slot->sched = nullptr;
    slot->sample.thread = thread;
    slot->sample.time = time;
    slot->sample.cpu = 3;
    slot->callchain = {reinterpret_cast<const uint8_t*>(callchain),
                       sizeof(callchain)};
    slot->SetHash(StackTable::HashOf(0, slot->callchain));
  };
  push(1);
  push(2);
  queue.ReportAfter(sched_.PayloadsOf(format), numbers);
  push(3);
  EXPECT_TRUE(Take().empty());
  EXPECT_TRUE(queue.has_sched_events());
  ASSERT_TRUE(queue.FlushSchedEvents().ok());
  EXPECT_FALSE(queue.has_sched_events());
  EXPECT_EQ(
      Take(),
      (Lines{"sample switch :8 period=1 @1", "sample switch :8 period=1 @2",
             "thread 0/0 swapper @2", "out :8 cpu=3 S other=swapper @2",
             "in swapper cpu=3 other=:8 @2"}));
  ASSERT_TRUE(queue.FlushSchedEvents().ok());
  EXPECT_TRUE(Take().empty());
  ASSERT_TRUE(queue.Flush().ok());
  EXPECT_EQ(Take(), (Lines{"sample switch :8 period=1 @3"}));
}

}  // namespace
}  // namespace perf2x
