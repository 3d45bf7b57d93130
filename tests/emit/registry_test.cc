// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/registry.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace perf2x {
namespace {

TEST(RegistryTest, EveryFormatIsFoundByNameAndExtension) {
  for (const EmitterInfo& e : Emitters()) {
    EXPECT_EQ(FindEmitter(e.name), &e);
    EXPECT_EQ(FindEmitterByPath(std::string("out") + e.extension), &e);
    EXPECT_NE(e.make, nullptr) << e.name;
    EXPECT_STRNE(e.summary, "") << e.name;
  }
}

TEST(RegistryTest, OptionsHaveOneMeaning) {
  std::set<std::string> names;
  for (const EmitterInfo& e : Emitters()) {
    for (const EmitterOption& o : e.options) {
      EXPECT_TRUE(names.insert(o.name).second) << "--" << o.name;
    }
  }
}

TEST(RegistryTest, OthersAreNotFound) {
  EXPECT_EQ(FindEmitter("gif"), nullptr);
  EXPECT_EQ(FindEmitterByPath("out.gif"), nullptr);
}

}  // namespace
}  // namespace perf2x
