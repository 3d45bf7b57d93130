// SPDX-License-Identifier: Apache-2.0
#include "converter/hwtrace/itrace_options.h"

#include <gtest/gtest.h>

namespace perf2x {
namespace {

TEST(ItraceOptionsTest, LettersAsInPerf) {
  const auto all = ParseItraceOptions("");
  ASSERT_TRUE(all.ok());
  EXPECT_EQ(*all, ItraceOptions());
  const auto some = ParseItraceOptions("i1000ifM");
  EXPECT_TRUE(some->has_period);
  EXPECT_FALSE(all->has_period || ParseItraceOptions("ib")->has_period);
  ASSERT_TRUE(some.ok());
  EXPECT_TRUE(some->instructions && some->first_level && some->memory);
  EXPECT_FALSE(some->branches || some->last_branch || some->last_level ||
               some->tlb || some->remote_access);
  EXPECT_EQ(some->period, 1000u);
  const auto branches = ParseItraceOptions("b,l64ce");
  ASSERT_TRUE(branches.ok());
  EXPECT_TRUE(branches->branches && branches->last_branch);
  EXPECT_FALSE(branches->instructions);
  const auto more = ParseItraceOptions("amti0i");
  ASSERT_TRUE(more.ok());
  EXPECT_TRUE(more->remote_access && more->last_level && more->tlb);
  EXPECT_EQ(more->period, 1u);
}

TEST(ItraceOptionsTest, RefusesOthers) {
  for (const char* text :
       {"i100us", "i5", "i99999999999999999999i", "u", "?"}) {
    EXPECT_FALSE(ParseItraceOptions(text).ok()) << text;
  }
}

}  // namespace
}  // namespace perf2x
