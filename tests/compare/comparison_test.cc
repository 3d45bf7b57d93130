// SPDX-License-Identifier: Apache-2.0
#include "converter/compare/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "converter/compare/comparison_text.h"

namespace perf2x {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// Five recordings a side: "hot" gets slower by a tenth, "cold" stays, "tiny" is
// too small to be tested.
class ComparisonTest : public testing::Test {
 protected:
  ComparisonTest() {
    runs_.base = 5;
    runs_.event = "cpu-clock";
    runs_.unit = "nanoseconds";
    runs_.resolution = 1000;
    const std::vector<uint64_t> jitter = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3};
    FunctionSums hot{"hot", "", {}, {}}, cold{"cold", "", {}, {}},
        tiny{"tiny|*", "t.c", {}, {}};
    for (size_t i = 0; i < jitter.size(); ++i) {
      const uint64_t noise = jitter[i] * 1000;
      hot.self.push_back((i < 5 ? 10'000'000 : 11'000'000) + noise);
      cold.self.push_back(30'000'000 - noise);
      tiny.self.push_back(50'000);
      runs_.names.push_back(std::to_string(i) + ".data");
      runs_.sums.push_back(
          static_cast<double>(hot.self[i] + cold.self[i] + tiny.self[i]));
    }
    for (FunctionSums* sums : {&hot, &cold, &tiny}) {
      sums->total = sums->self;
      functions_.push_back(*sums);
    }
    runs_.divisors = runs_.sums;
  }

  ComparedRuns runs_;
  std::vector<FunctionSums> functions_;
};

TEST_F(ComparisonTest, SharesOfTheRecordingsAreCompared) {
  const Comparison c = Compare(runs_, functions_);
  ASSERT_EQ(c.functions.size(), 3u);
  EXPECT_EQ(c.tests, 5u);  // self and total of two functions, and the sum
  const ComparedFunction& hot = c.functions[0];
  EXPECT_EQ(hot.name, "hot");
  EXPECT_NEAR(hot.self.base, 0.2497, 0.001);
  EXPECT_NEAR(RelativeChange(hot.self), 0.073, 0.001);
  EXPECT_NEAR(hot.now_self - hot.base_self, 1'000'000, 10'000);
  EXPECT_TRUE(IsBeyondNoise(hot.self));
  EXPECT_FALSE(c.functions[2].tested);
  EXPECT_FALSE(c.functions[2].self.p.has_value());
  EXPECT_TRUE(IsBeyondNoise(c.all.self));
  EXPECT_NEAR(c.all.base_self, 40'050'000, 1);
  EXPECT_NEAR(c.all.now_self, 41'050'000, 1);
}

TEST_F(ComparisonTest, ARenamedFileIsNoOtherFunction) {
  FunctionSums base = functions_[1], now = functions_[1];
  for (size_t i = 0; i < 5; ++i) base.self[i + 5] = now.self[i] = 0;
  base.total = base.self;
  now.total = now.self;
  base.file = "old.c";
  now.file = "new.c";
  functions_[1] = base;
  functions_.push_back(now);
  const Comparison c = Compare(runs_, functions_);
  ASSERT_EQ(c.functions.size(), 3u);
  const auto cold =
      std::find_if(c.functions.begin(), c.functions.end(),
                   [](const auto& f) { return f.name == "cold"; });
  ASSERT_NE(cold, c.functions.end());
  EXPECT_EQ(cold->file, "");
  EXPECT_FALSE(IsBeyondNoise(cold->total) &&
               cold->total.now > cold->total.base);
  // Two files have the name in the new recordings.
  functions_.push_back(now);
  functions_.back().file = "another.c";
  EXPECT_EQ(Compare(runs_, functions_).functions.size(), 5u);
}

TEST_F(ComparisonTest, WithoutNormalizationOtherFunctionsStay) {
  runs_.normalization = Normalization::kNone;
  runs_.divisors.assign(10, 1);
  const Comparison c = Compare(runs_, functions_);
  EXPECT_NEAR(RelativeChange(c.functions[0].self), 0.1, 0.001);
  EXPECT_EQ(c.functions[1].name, "cold");
  EXPECT_FALSE(IsBeyondNoise(c.functions[1].self));
}

TEST_F(ComparisonTest, TheGateIsAboutIncreasesBeyondTheNoise) {
  using Scope = FailAbove::Scope;
  const Comparison c = Compare(runs_, functions_);
  EXPECT_THAT(NamesAbove(c, {Scope::kSelf, 0.03}), ElementsAre("hot"));
  EXPECT_THAT(NamesAbove(c, {Scope::kTotal, 0.03}), ElementsAre("hot"));
  EXPECT_THAT(NamesAbove(c, {Scope::kSelf, 0.08}), IsEmpty());
  EXPECT_THAT(NamesAbove(c, {Scope::kAll, 0.02}),
              ElementsAre("the whole program"));
  EXPECT_THAT(NamesAbove(c, {Scope::kAll, 0.03}), IsEmpty());
  // The other way round, it got faster.
  for (FunctionSums& sums : functions_) {
    std::reverse(sums.self.begin(), sums.self.end());
    std::reverse(sums.total.begin(), sums.total.end());
  }
  std::reverse(runs_.sums.begin(), runs_.sums.end());
  runs_.divisors = runs_.sums;
  EXPECT_THAT(NamesAbove(Compare(runs_, functions_), {Scope::kSelf, 0.03}),
              Not(testing::Contains("hot")));
}

TEST_F(ComparisonTest, OneRecordingASideHasIntervalsOnly) {
  runs_.base = 1;
  runs_.names.resize(2);
  runs_.sums = {runs_.sums[0], runs_.sums[5]};
  runs_.divisors = runs_.sums;
  runs_.in_blocks = true;
  runs_.blocks = {4, 3};
  for (FunctionSums& sums : functions_) {
    const uint64_t base = sums.self[0], now = sums.self[5];
    sums.self = {base / 4, base / 4, base / 4, base / 4,
                 now / 3,  now / 3,  now / 3,  0};
    sums.total = sums.self;
  }
  const Comparison c = Compare(runs_, functions_);
  EXPECT_NEAR(RelativeChange(c.functions[0].self), 0.073, 0.001);
  EXPECT_TRUE(c.functions[0].self.low.has_value());
  EXPECT_FALSE(IsBeyondNoise(c.functions[0].self));
  EXPECT_THAT(ComparisonTable(c, 5), HasSubstr("cannot be known"));
}

// On a deep stack, each of many functions has a large share.
TEST_F(ComparisonTest, OnlySoManyValuesAreTested) {
  FunctionSums caller = functions_[1];
  caller.self.assign(10, 0);
  for (size_t i = 0; i < kMaxTests; ++i) {
    caller.name = std::to_string(i);
    functions_.push_back(caller);
  }
  const Comparison c = Compare(runs_, functions_);
  EXPECT_EQ(c.tests, kMaxTests + 1);
  for (const ComparedFunction& function : c.functions) {
    if (function.name != "hot") continue;
    // The smallest of the values.
    EXPECT_FALSE(function.tested);
    EXPECT_NEAR(function.self.base, 0.2497, 0.001);
  }
}

TEST_F(ComparisonTest, TooFewRecordingsSaySo) {
  runs_.base = 8;
  EXPECT_THAT(ComparisonTable(Compare(runs_, functions_), 5),
              HasSubstr("With 2 recordings a side"));
}

TEST_F(ComparisonTest, TheTableHasTheLargestChangesFirst) {
  const std::string table = ComparisonTable(Compare(runs_, functions_), 2);
  EXPECT_THAT(table, HasSubstr("5 recordings before, 5 after"));
  EXPECT_THAT(table, HasSubstr("* beyond the noise: "));
  EXPECT_THAT(table, HasSubstr("1 more functions"));
  EXPECT_LT(table.find("hot"), table.find("cold"));
}

TEST_F(ComparisonTest, NamesAreNoMarkdown) {
  const std::string text = ComparisonMarkdown(Compare(runs_, functions_), 3);
  EXPECT_THAT(text, HasSubstr("| `tiny\\|* "));
  EXPECT_THAT(text, HasSubstr(" after; `"));
  EXPECT_THAT(text, HasSubstr("| ---: | --- |"));
}

TEST_F(ComparisonTest, NamesMayHaveWhatEndsCode) {
  functions_[0].name = "a`b``c";
  functions_[1].name = "@me #1 https://x.example :tada: <b>";
  functions_[2].name = "a\\|b";
  const std::string text = ComparisonMarkdown(Compare(runs_, functions_), 3);
  EXPECT_THAT(text, HasSubstr("| ``` a`b``c ``` |"));
  EXPECT_THAT(text, HasSubstr("| `@me #1 https://x.example :tada: <b>` |"));
  // A pipe ends the cell unless an odd number of backslashes is before it.
  EXPECT_THAT(text, HasSubstr(R"(| `a\\\|b )"));
}

TEST_F(ComparisonTest, CodeIsWhatMarkdownTakesForCode) {
  functions_[0].name = std::string(100, '`') + "<b>";
  functions_[1].name = std::string(1999, 'a') + "\u00e9";
  const std::string text = ComparisonMarkdown(Compare(runs_, functions_), 3);
  EXPECT_THAT(text, HasSubstr("| `" + std::string(100, '\'') + "<b>` |"));
  EXPECT_THAT(text, HasSubstr("| `" + std::string(1000, 'a') + "...` |"));
}

TEST_F(ComparisonTest, JsonHasAllFunctions) {
  const std::string json = ComparisonJson(Compare(runs_, functions_));
  EXPECT_THAT(json, HasSubstr("\"name\":\"tiny|*\""));
  EXPECT_THAT(json, HasSubstr("\"side\":\"new\""));
  EXPECT_THAT(json, HasSubstr("\"beyond_noise\":true"));
}

TEST(RelativeChangeTest, WhatIsNewIsInfinitelyMore) {
  const auto relative = [](double base, double now) {
    Change change;
    change.base = base;
    change.now = now;
    return RelativeChange(change);
  };
  EXPECT_TRUE(std::isinf(relative(0, 1)));
  EXPECT_EQ(relative(0, 0), 0);
  EXPECT_EQ(relative(2, 0), -1);
}

}  // namespace
}  // namespace perf2x
