// SPDX-License-Identifier: Apache-2.0
#include "converter/perf/header/shared_event_names.h"

#include <gtest/gtest.h>

#include <vector>

#include "converter/perf/records/wire.h"

namespace perf2x {
namespace {

using Indexes = std::vector<uint32_t>;

// "cycles" or, on a hybrid machine, "cycles" of a core's PMU.
RecordedEvent Cycles(const char* name, uint64_t pmu_type, const char* pmu) {
  RecordedEvent event;
  event.attr.type = kTypeHardware;
  event.attr.config = pmu_type << 32;
  event.name = name;
  event.pmu = pmu;
  return event;
}

TEST(SharedEventNamesTest, EventsOfTwoPmusShareAName) {
  const std::vector<RecordedEvent> events = {
      Cycles("cycles", 4, "cpu_core"), Cycles("mine", 4, "cpu_core"),
      Cycles("cycles", 10, "cpu_atom"), Cycles("cycles", 4, "cpu_core")};
  EXPECT_EQ(EventsOfSharedNames(events), (Indexes{0, 2, 3}));
}

TEST(SharedEventNamesTest, EventsOfOnePmuAreNotToldApart) {
  EXPECT_EQ(EventsOfSharedNames({}), Indexes());
  const std::vector<RecordedEvent> events = {Cycles("cycles", 4, "cpu_core"),
                                             Cycles("cycles", 4, "cpu_core")};
  EXPECT_EQ(EventsOfSharedNames(events), Indexes());
}

TEST(SharedEventNamesTest, AnUnknownPmuIsNoHelp) {
  const std::vector<RecordedEvent> events = {Cycles("cycles", 0, ""),
                                             Cycles("cycles", 10, "cpu_atom")};
  EXPECT_EQ(EventsOfSharedNames(events), (Indexes{1}));
}

}  // namespace
}  // namespace perf2x
