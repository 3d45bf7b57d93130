// SPDX-License-Identifier: Apache-2.0
#include "converter/perf/header/event_name.h"

#include <gtest/gtest.h>

#include "converter/perf/records/wire.h"

namespace perf2x {
namespace {

EventAttr AttrOf(uint32_t type, uint64_t config) {
  EventAttr attr;
  attr.type = type;
  attr.config = config;
  attr.flags = 1 << 20;  // exclude_guest: no modifiers
  return attr;
}

using Pmus = absl::flat_hash_map<uint32_t, std::string>;

TEST(EventNameTest, HybridEventsAreNamedAfterTheirCores) {
  const Pmus pmus = {{4, "cpu_core"}, {10, "cpu_atom"}};
  const uint64_t core = uint64_t{4} << 32, atom = uint64_t{10} << 32;
  EXPECT_EQ(EventNameOf(AttrOf(kTypeHardware, core), pmus), "cpu_core/cycles/");
  EXPECT_EQ(EventNameOf(AttrOf(kTypeHardware, atom | 1), pmus),
            "cpu_atom/instructions/");
  EXPECT_EQ(EventNameOf(AttrOf(kTypeHwCache, atom | 0x10000), pmus),
            "cpu_atom/L1-dcache-load-misses/");
  EXPECT_EQ(EventNameOf(AttrOf(kTypeHardware, 0), pmus), "cycles");
  EXPECT_EQ(EventNameOf(AttrOf(10, 0x3c), pmus), "cpu_atom/config=0x3c/");
}

// tools/perf/util/pmu.h gives them types that PMU_MAPPINGS may lack.
TEST(EventNameTest, EventsOfPerfsOwnPmus) {
  const Pmus none;
  EXPECT_EQ(EventNameOf(AttrOf(0xfffffffe, 1), none), "duration_time");
  EXPECT_EQ(EventNameOf(AttrOf(0xfffffffe, 14), none), "target_cpu");
  EXPECT_EQ(EventNameOf(AttrOf(0xfffffffe, 15), none), "tool/config=0xf/");
  EXPECT_EQ(EventNameOf(AttrOf(0xffff0000, 10 << 16 | 1), none),
            "hwmon/temp1/");
  EXPECT_EQ(EventNameOf(AttrOf(0xffff0003, 4 << 16 | 2),
                        {{0xffff0003, "hwmon_thinkpad"}}),
            "hwmon_thinkpad/fan2/");
  EXPECT_EQ(EventNameOf(AttrOf(0xffff0000, 99 << 16), none),
            "hwmon/config=0x630000/");
  EXPECT_EQ(EventNameOf(AttrOf(0xfffe0000, 2), none), "drm/config=0x2/");
  EXPECT_EQ(EventNameOf(AttrOf(0xffffffff, 2), none),
            "pmu_4294967295/config=0x2/");
}

TEST(EventNameTest, NamesWithTheirPmuAhead) {
  EXPECT_EQ(EventNameWithPmu("cpu_core", "cycles"), "cpu_core/cycles/");
  EXPECT_EQ(EventNameWithPmu("cpu_core", "cycles:Pu"), "cpu_core/cycles/Pu");
  EXPECT_EQ(EventNameWithPmu("cpu_core", "cycles//u"), "cpu_core/cycles/u");
  EXPECT_EQ(EventNameWithPmu("cpu_core", "cycles/period=1/u"),
            "cpu_core/cycles,period=1/u");
  EXPECT_EQ(EventNameWithPmu("cpu_core", "cpu_core/cycles/P"),
            "cpu_core/cycles/P");
}

}  // namespace
}  // namespace perf2x
