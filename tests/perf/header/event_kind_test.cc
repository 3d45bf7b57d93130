// SPDX-License-Identifier: Apache-2.0
#include "converter/perf/header/event_kind.h"

#include <gtest/gtest.h>

#include "converter/perf/records/wire.h"

namespace perf2x {
namespace {

EventKind Kind(uint32_t type, uint64_t config, absl::string_view name = "",
               bool traces_off_cpu = false) {
  EventAttr attr;
  attr.type = type;
  attr.config = config;
  return EventKindOf(attr, name, traces_off_cpu);
}

TEST(EventKindTest, FollowsFromTheAttr) {
  EXPECT_EQ(Kind(kTypeHardware, 0, "cycles"), EventKind::kSampled);
  // PERF_COUNT_SW_PAGE_FAULTS, …_MIN and …_MAJ.
  for (const uint64_t faults : {2, 5, 6}) {
    EXPECT_EQ(Kind(kTypeSoftware, faults), EventKind::kPageFault) << faults;
    EXPECT_EQ(Kind(kTypeHardware, faults), EventKind::kSampled) << faults;
  }
  // PERF_COUNT_SW_CONTEXT_SWITCHES and …_ALIGNMENT_FAULTS.
  EXPECT_EQ(Kind(kTypeSoftware, 3), EventKind::kSampled);
  EXPECT_EQ(Kind(kTypeSoftware, 7), EventKind::kSampled);
  EXPECT_EQ(Kind(kTypeSoftware, kSoftwareCpuClock), EventKind::kClock);
  EXPECT_EQ(Kind(kTypeSoftware, kSoftwareTaskClock), EventKind::kClock);
  EXPECT_EQ(Kind(kTypeTracepoint, 316), EventKind::kTracepoint);
  EXPECT_EQ(Kind(kTypeBreakpoint, 0), EventKind::kSampled);
  // The number of a clock, of another type of event.
  EXPECT_EQ(Kind(kTypeRaw, kSoftwareTaskClock), EventKind::kSampled);
}

TEST(EventKindTest, AUsersNameDoesNotChangeIt) {
  EXPECT_EQ(Kind(kTypeSoftware, kSoftwareDummy, "mine"), EventKind::kDummy);
  EXPECT_EQ(Kind(kTypeHardware, 0, "dummy"), EventKind::kSampled);
  EXPECT_EQ(Kind(kTypeHardware, 0, "offcpu-time"), EventKind::kSampled);
}

TEST(EventKindTest, OffCpuTimeIsABpfOutputOfThatName) {
  EXPECT_EQ(Kind(kTypeSoftware, kSoftwareBpfOutput, "offcpu-time"),
            EventKind::kOffCpu);
  EXPECT_EQ(Kind(kTypeSoftware, kSoftwareBpfOutput, "bpf-output"),
            EventKind::kSampled);
}

TEST(EventKindTest, SwitchesAreSleepsIfOffCpuTimeIsTraced) {
  for (const char* name : {"sched:sched_switch", "sched:sched_switch:u"}) {
    EXPECT_EQ(Kind(kTypeTracepoint, 316, name, true), EventKind::kOffCpu);
    EXPECT_EQ(Kind(kTypeTracepoint, 316, name), EventKind::kTracepoint);
  }
  EXPECT_EQ(Kind(kTypeTracepoint, 317, "sched:sched_waking", true),
            EventKind::kTracepoint);
  EXPECT_EQ(Kind(kTypeSoftware, kSoftwareCpuClock, "cpu-clock", true),
            EventKind::kClock);
}

TEST(EventKindTest, TracepointsAndSleepsDoNotSampleCode) {
  for (const EventKind kind :
       {EventKind::kSampled, EventKind::kPageFault, EventKind::kClock}) {
    EXPECT_TRUE(SamplesCode(kind)) << static_cast<int>(kind);
  }
  for (const EventKind kind :
       {EventKind::kTracepoint, EventKind::kOffCpu, EventKind::kDummy}) {
    EXPECT_FALSE(SamplesCode(kind)) << static_cast<int>(kind);
  }
}

TEST(EventKindTest, PeriodsOfClocksAndSleepsAreTimes) {
  EXPECT_TRUE(HasTimePeriods(EventKind::kClock));
  EXPECT_TRUE(HasTimePeriods(EventKind::kOffCpu));
  EXPECT_FALSE(HasTimePeriods(EventKind::kSampled));
  EXPECT_FALSE(HasTimePeriods(EventKind::kTracepoint));
}

}  // namespace
}  // namespace perf2x
