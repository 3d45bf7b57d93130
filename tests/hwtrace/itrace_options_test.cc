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
  EXPECT_EQ(some->unit, ItraceOptions::Unit::kInstructions);
  ASSERT_TRUE(some.ok());
  EXPECT_TRUE(some->instructions && some->first_level && some->memory);
  EXPECT_FALSE(some->branches || some->last_branch || some->last_level ||
               some->tlb || some->remote_access);
  EXPECT_EQ(some->period, 1000u);
  const auto branches = ParseItraceOptions("b,l64ceT");
  ASSERT_TRUE(branches.ok());
  EXPECT_TRUE(branches->branches && branches->last_branch);
  EXPECT_FALSE(branches->instructions);
  const auto more = ParseItraceOptions("amti0i");
  ASSERT_TRUE(more.ok());
  EXPECT_TRUE(more->remote_access && more->last_level && more->tlb);
  EXPECT_EQ(more->period, 1u);
}

TEST(ItraceOptionsTest, PeriodsOfTimeAndBranchKinds) {
  using Unit = ItraceOptions::Unit;
  EXPECT_EQ(ItraceOptions().unit, Unit::kDefault);
  EXPECT_FALSE(ItraceOptions().is_explicit);
  const auto micro = ParseItraceOptions("i100uscxw");
  ASSERT_TRUE(micro.ok());
  EXPECT_EQ(micro->unit, Unit::kNanoseconds);
  EXPECT_EQ(micro->period, 100000u);
  EXPECT_EQ(micro->records_per_sample(), 1u);
  EXPECT_TRUE(micro->calls && micro->transactions && micro->ptwrites);
  EXPECT_FALSE(micro->returns || micro->power || micro->branches);
  EXPECT_TRUE(micro->is_explicit);
  EXPECT_EQ(ParseItraceOptions("i2ms")->period, 2000000u);
  EXPECT_EQ(ParseItraceOptions("i70ns")->period, 70u);
  EXPECT_EQ(ParseItraceOptions("i70")->unit, Unit::kNanoseconds);
  EXPECT_EQ(ParseItraceOptions("irp")->unit, Unit::kDefault);
  EXPECT_EQ(ParseItraceOptions("i70i")->records_per_sample(), 70u);
}

TEST(ItraceOptionsTest, SizesOfCallchains) {
  EXPECT_EQ(ItraceOptions().callchain, 127u);
  EXPECT_EQ(ParseItraceOptions("i")->callchain, 0u);
  EXPECT_EQ(ParseItraceOptions("ig")->callchain, 127u);
  EXPECT_EQ(ParseItraceOptions("g0i")->callchain, 127u);
  EXPECT_EQ(ParseItraceOptions("i10usg16x")->callchain, 16u);
  EXPECT_TRUE(ParseItraceOptions("g16x")->transactions);
  EXPECT_EQ(ParseItraceOptions("g1024")->callchain, 1024u);
}

TEST(ItraceOptionsTest, RefusesOthers) {
  for (const char* text :
       {"i5t", "i5s", "i99999999999999999999i", "i99999999999999999ms", "u",
        "?", "g1025", "ig99999999999"}) {
    EXPECT_FALSE(ParseItraceOptions(text).ok()) << text;
  }
}

}  // namespace
}  // namespace perf2x
