// SPDX-License-Identifier: Apache-2.0
#include "converter/base/deferred_budget.h"

#include <gtest/gtest.h>

namespace perf2x {
namespace {

constexpr Budget::Rules kRules = {{{1000, 0}, {1000, 0}, {1000, 0}}};

class DeferredBudgetTest : public testing::Test {
 protected:
  DeferredBudgetTest() { shared_.ReleaseReserve(); }

  Budget shared_{kRules};
  DeferredBudget deferred_{shared_};
};

TEST_F(DeferredBudgetTest, WhatIsUsedIsChargedLater) {
  deferred_.Begin(deferred_.LimitsNow());
  deferred_.budget().Spend(Budget::kWork, 300);
  EXPECT_EQ(shared_.used(Budget::kWork), 0u);
  const DeferredBudget::Amounts first = deferred_.used();
  // The next piece of work begins before the first is charged.
  deferred_.budget().Spend(Budget::kWork, 100);
  deferred_.Charge(first);
  EXPECT_EQ(shared_.used(Budget::kWork), 300u);
  deferred_.Charge(deferred_.used());
  EXPECT_EQ(shared_.used(Budget::kWork), 400u);
}

TEST_F(DeferredBudgetTest, MemoryIsReturned) {
  deferred_.Begin(deferred_.LimitsNow());
  {
    Budget::Share share(deferred_.budget());
    share.Set(700);
    deferred_.Charge(deferred_.used());
    EXPECT_EQ(shared_.used(Budget::kMemory), 700u);
    share.Set(200);
    deferred_.Charge(deferred_.used());
    EXPECT_EQ(shared_.used(Budget::kMemory), 200u);
  }
  deferred_.Charge(deferred_.used());
  EXPECT_EQ(shared_.used(Budget::kMemory), 0u);
  EXPECT_FALSE(shared_.exhausted());
}

TEST_F(DeferredBudgetTest, OneOfBothIsLimitedByTheOther) {
  shared_.Spend(Budget::kOutput, 600);
  deferred_.Begin(deferred_.LimitsNow());
  deferred_.budget().Spend(Budget::kOutput, 400);
  EXPECT_FALSE(deferred_.budget().exhausted());
  deferred_.budget().Spend(Budget::kOutput, 1);
  EXPECT_TRUE(deferred_.budget().exhausted());
  EXPECT_STREQ(deferred_.budget().exhausted_name(), "output");
  EXPECT_FALSE(shared_.exhausted());
  deferred_.Charge(deferred_.used());
  EXPECT_TRUE(shared_.exhausted());
}

// Of each piece of work, the limits count when they were taken.
TEST_F(DeferredBudgetTest, LimitsAreThoseOfThePiece) {
  const DeferredBudget::Limits before = deferred_.LimitsNow();
  shared_.Spend(Budget::kWork, 2000);
  ASSERT_TRUE(shared_.exhausted());
  deferred_.Begin(before);
  deferred_.budget().Spend(Budget::kWork, 900);
  EXPECT_FALSE(deferred_.budget().exhausted());
  deferred_.Begin(deferred_.LimitsNow());
  EXPECT_TRUE(deferred_.budget().exhausted());
  EXPECT_STREQ(deferred_.budget().exhausted_name(), "work");
}

// What was used before the charge counts, too.
TEST_F(DeferredBudgetTest, ExhaustionStaysUntilTheReserveIsReleased) {
  Budget shared(kRules);  // 750 until the reserve is released
  DeferredBudget deferred(shared);
  deferred.Begin(deferred.LimitsNow());
  deferred.budget().Spend(Budget::kWork, 800);
  EXPECT_TRUE(deferred.budget().exhausted());
  deferred.Begin(deferred.LimitsNow());
  EXPECT_TRUE(deferred.budget().exhausted());
  deferred.Charge(deferred.used());
  EXPECT_TRUE(shared.exhausted());
  shared.ReleaseReserve();
  deferred.Begin(deferred.LimitsNow());
  EXPECT_FALSE(deferred.budget().exhausted());
}

TEST_F(DeferredBudgetTest, NothingLeftIsALimit) {
  shared_.Spend(Budget::kWork, 1000);
  ASSERT_FALSE(shared_.exhausted());
  deferred_.Begin(deferred_.LimitsNow());
  EXPECT_FALSE(deferred_.budget().exhausted());
  deferred_.budget().Spend(Budget::kWork, 1);
  EXPECT_TRUE(deferred_.budget().exhausted());
}

TEST_F(DeferredBudgetTest, AnUnlimitedBudgetHasNoLimits) {
  DeferredBudget deferred(Budget::Unlimited());
  deferred.Begin(deferred.LimitsNow());
  deferred.budget().Spend(Budget::kOutput, uint64_t{1} << 60);
  EXPECT_FALSE(deferred.budget().exhausted());
  deferred.Charge(deferred.used());
  deferred.Begin(deferred.LimitsNow());
  EXPECT_FALSE(deferred.budget().exhausted());
}

}  // namespace
}  // namespace perf2x
