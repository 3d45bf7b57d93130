// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/branch_profiles/code_contexts.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/emit/branch_profiles/branch_trace.h"

namespace perf2x {
namespace {

std::vector<uint32_t> WithoutRepeats(std::vector<uint32_t> words) {
  RemoveRepeats(&words);
  return words;
}

TEST(RemoveRepeatsTest, PartsThatFollowThemselvesAreOne) {
  using Words = std::vector<uint32_t>;
  EXPECT_EQ(WithoutRepeats({}), Words());
  EXPECT_EQ(WithoutRepeats({1, 1, 2, 2, 2}), Words({1, 2}));
  EXPECT_EQ(WithoutRepeats({9, 2, 3, 2, 3, 2}), Words({9, 2, 3, 2}));
  EXPECT_EQ(WithoutRepeats({1, 2, 2, 3, 1, 2, 3}), Words({1, 2, 3}));
  EXPECT_EQ(WithoutRepeats({1, 2, 1}), Words({1, 2, 1}));
}

class CodeContextsTest : public testing::Test {
 protected:
  std::string TextOf(CodeContexts::Id id) {
    std::string text;
    contexts_.AppendText(id, &text);
    return text;
  }
  TestCode code_;
  CodeContexts contexts_{code_, Budget::Unlimited()};
};

TEST_F(CodeContextsTest, AreCallersAndFunctionsThatAreInlined) {
  EXPECT_EQ(TextOf(contexts_.ContextOf({0x1100})), "main");
  EXPECT_EQ(TextOf(contexts_.ContextOf({0x110c, 0x1110})),
            "main:3 @ main:4.2 @ twice");
  EXPECT_EQ(contexts_.ContextOf({0x110c, 0x1150}), contexts_.empty());
  EXPECT_EQ(contexts_.ContextOf({}), contexts_.empty());
  EXPECT_TRUE(contexts_.AreInlinedAlike(0x1110, 0x1114));
  EXPECT_FALSE(contexts_.AreInlinedAlike(0x1110, 0x1118));
  EXPECT_FALSE(contexts_.AreInlinedAlike(0x1150, 0x1154));
}

TEST_F(CodeContextsTest, AreSortedByTheirTexts) {
  std::vector<CodeContexts::Id> ids = {contexts_.ContextOf({0x1110}),
                                       contexts_.ContextOf({0x110c, 0x1200}),
                                       contexts_.ContextOf({0x1100}),
                                       contexts_.empty(),
                                       contexts_.ContextOf({0x1104, 0x1200}),
                                       contexts_.ContextOf({0x1200})};
  contexts_.Sort(&ids);
  std::vector<std::string> texts;
  for (const CodeContexts::Id id : ids) texts.push_back(TextOf(id));
  EXPECT_EQ(texts,
            std::vector<std::string>({"", "leaf", "main", "main:1 @ leaf",
                                      "main:3 @ leaf", "main:4.2 @ twice"}));
}

}  // namespace
}  // namespace perf2x
