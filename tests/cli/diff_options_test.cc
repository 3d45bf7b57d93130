// SPDX-License-Identifier: Apache-2.0
#include "converter/cli/diff_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace perf2x {
namespace {

using testing::ElementsAre;

TEST(DiffOptionsTest, LimitsSayOfWhat) {
  using Scope = FailAbove::Scope;
  EXPECT_EQ(ParseFailAbove("3%")->scope, Scope::kSelf);
  EXPECT_DOUBLE_EQ(ParseFailAbove("3%")->share, 0.03);
  EXPECT_DOUBLE_EQ(ParseFailAbove("self:0.5")->share, 0.005);
  EXPECT_EQ(ParseFailAbove("total:10%")->scope, Scope::kTotal);
  EXPECT_EQ(ParseFailAbove("all:1%")->scope, Scope::kAll);
  for (const char* wrong :
       {"", "%", "x", "-1%", "3%%", "nan", "inf", "me:3%"}) {
    EXPECT_FALSE(ParseFailAbove(wrong).ok()) << wrong;
  }
}

TEST(DiffOptionsTest, RecordingsAfterTheDashesAreNew) {
  const auto rewritten = [](std::vector<const char*> args) {
    return RewriteDiffArguments(static_cast<int>(args.size()), args.data());
  };
  EXPECT_THAT(rewritten({"perf2x", "diff", "a", "b", "--", "c", "-d"}),
              ElementsAre("perf2x", "diff", "a", "b", "--new=c", "--new=-d"));
  EXPECT_THAT(rewritten({"perf2x", "--", "diff"}),
              ElementsAre("perf2x", "--", "diff"));
  EXPECT_THAT(rewritten({"perf2x", "-q", "a"}),
              ElementsAre("perf2x", "-q", "a"));
}

}  // namespace
}  // namespace perf2x
