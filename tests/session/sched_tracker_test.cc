// SPDX-License-Identifier: Apache-2.0
#include "converter/session/sched_tracker.h"

#include "tests/session/int_field.h"
#include "tests/session/tracker_test.h"

namespace perf2x {
namespace {

class SchedTrackerTest : public TrackerTest {
 protected:
  // A payload of three numbers.
  static std::vector<uint8_t> Payload(uint32_t a, uint32_t b, uint32_t c) {
    std::vector<uint8_t> raw(12);
    Store(a, &raw[0], kHostOrder);
    Store(b, &raw[4], kHostOrder);
    Store(c, &raw[8], kHostOrder);
    return raw;
  }
  Sample SampleOf(int32_t pid, int32_t tid) {
    Sample sample;
    sample.thread = *threads_.Announce(threads_.GetThread(pid, tid), 0);
    sample.cpu = 1;
    sample.time = 5;
    Take();
    return sample;
  }
  const TracepointFormat switch_{
      "sched",
      "sched_switch",
      kHostOrder,
      {IntField("prev_pid", 0), IntField("prev_state", 4),
       IntField("next_pid", 8)},
      ""};
  const TracepointFormat wakeup_{
      "sched",
      "sched_waking",
      kHostOrder,
      {IntField("pid", 0), IntField("target_cpu", 4)},
      ""};
  SchedTracker sched_{tables_, threads_, sink_};
};

TEST_F(SchedTrackerTest, SwitchRecordsSayWhichWayAndWhoElse) {
  const SwitchRecord own;
  SwitchCpuWideRecord wide;
  wide.next_prev_pid = 9;
  wide.next_prev_tid = 10;
  ASSERT_TRUE(sched_.Apply(own, At(1, own)).ok());
  ASSERT_TRUE(
      sched_.Apply(wide, At(2, wide, kMiscSwitchOut | kMiscSwitchOutPreempt))
          .ok());
  EXPECT_EQ(Take(),
            (Lines{"thread 7/8 :8 @1", "in :8 cpu=1 @1", "thread 9/10 :10 @2",
                   "out :8 cpu=1 preempted other=:10 @2"}));
}

TEST_F(SchedTrackerTest, ATracepointIsASwitchOutAndASwitchIn) {
  const Sample sample = SampleOf(7, 8);
  threads_.GetThread(9, 10);
  ASSERT_TRUE(sched_.ApplyTracepoint(switch_, Payload(8, 1, 10), sample).ok());
  EXPECT_EQ(Take(), (Lines{"thread 9/10 :10 @5", "out :8 cpu=1 S other=:10 @5",
                           "in :10 cpu=1 other=:8 @5"}));
}

TEST_F(SchedTrackerTest, ThreadsThatNoRecordNamesAreNotReported) {
  const Sample sample = SampleOf(7, 8);
  ASSERT_TRUE(sched_.ApplyTracepoint(switch_, Payload(8, 1, 99), sample).ok());
  EXPECT_EQ(Take(), (Lines{"out :8 cpu=1 S @5"}));
  ASSERT_TRUE(sched_.ApplyTracepoint(wakeup_, Payload(99, 3, 0), sample).ok());
  EXPECT_TRUE(Take().empty());
}

TEST_F(SchedTrackerTest, Wakeups) {
  const Sample sample = SampleOf(7, 8);
  threads_.GetThread(9, 10);
  ASSERT_TRUE(sched_.ApplyTracepoint(wakeup_, Payload(10, 3, 0), sample).ok());
  EXPECT_EQ(Take(), (Lines{"thread 9/10 :10 @5", "wakeup :8 :10 target=3 @5"}));
}

// A perf that ran in a container: samples have the tids 8 and 10, payloads 108
// and 110. There is a thread 110 in the container, too.
TEST_F(SchedTrackerTest, TidsOfThePayloadAreOfTheRootPidNamespace) {
  threads_.GetThread(9, 110);
  ASSERT_TRUE(
      sched_.ApplyTracepoint(switch_, Payload(108, 1, 110), SampleOf(7, 8))
          .ok());
  EXPECT_EQ(Take(), (Lines{"out :8 cpu=1 S @5"}));
  ASSERT_TRUE(
      sched_.ApplyTracepoint(switch_, Payload(110, 1, 108), SampleOf(9, 10))
          .ok());
  EXPECT_EQ(Take(), (Lines{"in :10 cpu=1 @5", "out :10 cpu=1 S other=:8 @5",
                           "in :8 cpu=1 other=:10 @5"}));
  ASSERT_TRUE(
      sched_.ApplyTracepoint(wakeup_, Payload(110, 3, 0), SampleOf(7, 8)).ok());
  EXPECT_EQ(Take(), (Lines{"wakeup :8 :10 target=3 @5"}));
}

// Who goes on a CPU is learned when it goes off it.
TEST_F(SchedTrackerTest, AThreadOfTheNamespaceRanSinceTheSwitchBefore) {
  const auto apply = [this](uint32_t prev, uint32_t next, Sample sample,
                            uint64_t time) {
    sample.time = time;
    ASSERT_TRUE(
        sched_.ApplyTracepoint(switch_, Payload(prev, 1, next), sample).ok());
  };
  const Sample first = SampleOf(7, 8), second = SampleOf(9, 10);
  apply(108, 110, first, 5);
  Take();
  apply(110, 108, second, 9);
  EXPECT_EQ(Take(), (Lines{"in :10 cpu=1 @5", "out :10 cpu=1 S other=:8 @9",
                           "in :8 cpu=1 other=:10 @9"}));
}

// Threads that are not in perf's namespace have the tid 0 in samples.
TEST_F(SchedTrackerTest, ThreadsOutsideOfTheNamespaceAreNotReported) {
  ASSERT_TRUE(
      sched_.ApplyTracepoint(switch_, Payload(108, 1, 0), SampleOf(7, 8)).ok());
  Take();
  threads_.GetThread(9, 10);
  ASSERT_TRUE(
      sched_.ApplyTracepoint(switch_, Payload(10, 1, 11), SampleOf(0, 0)).ok());
  EXPECT_TRUE(Take().empty());
}

}  // namespace
}  // namespace perf2x
