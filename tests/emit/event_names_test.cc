// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/event_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace perf2x {
namespace {

using ::testing::ElementsAre;

TEST(EventNamesTest, DistinctEvenWhereANameIsTaken) {
  std::vector<Event> events;
  for (const char* name : {"a", "a#2", "a", "b", "a"}) {
    events.emplace_back().name = name;
  }
  EXPECT_THAT(DistinctEventNames(events),
              ElementsAre("a", "a#2", "a#3", "b", "a#4"));
}

TEST(EventNamesTest, HybridEventsInEverySpellingOfPerf) {
  EXPECT_EQ(HybridEventName("cpu_core/cycles/"), "cycles");
  EXPECT_EQ(HybridEventName("cpu_atom/cycles:Pu/"), "cycles:Pu");
  EXPECT_EQ(HybridEventName("cpu_atom/cycles/Pu"), "cycles:Pu");
  EXPECT_EQ(HybridEventName("cpu_lowpower/cycles/:u"), "cycles:u");
  EXPECT_EQ(HybridEventName("cpu_core/cycles,period=9/"), "cycles,period=9");
}

TEST(EventNamesTest, OtherEventsAreNotHybrid) {
  for (const char* name :
       {"cycles", "cpu/cycles/", "uncore_imc_0/cas_count_read/", "cpu_core/",
        "cpu_core//", "cpu_core/event=0x3c/", "cpu_atom/config=0x1/",
        "sched:sched_switch", "", "/", "//"}) {
    EXPECT_EQ(HybridEventName(name), "") << name;
  }
}

}  // namespace
}  // namespace perf2x
