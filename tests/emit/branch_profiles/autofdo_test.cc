// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "converter/emit/emitters.h"
#include "tests/emit/branch_profiles/branch_trace.h"

namespace perf2x {
namespace {

class AutofdoTest : public BranchTrace {};

// main has 13 instructions of 4 bytes: two of line 1 at its start, then a loop
// with two of `twice`, inlined at line 4. It calls leaf from line 3.
TEST_F(AutofdoTest, LinesInlinedFunctionsCallsAndHeads) {
  ASSERT_TRUE(Begin(AutofdoEmitterInfo()).ok());
  AddBranches({{0x1120, 0x1108},
               {0x1208, 0x1110},
               {0x110c, 0x1200},
               {0x1120, 0x1108},
               {kLibrary, 0x1100}});
  ASSERT_TRUE(Finish().ok());
  // [0x1100, 0x1120] crosses the call at 0x110c, so it does not count.
  EXPECT_EQ(output(),
            "main:28:1\n"
            " 1: 0\n"
            " 3: 1 leaf:1\n"
            " 4.2: twice:8\n"
            "  1: 1\n"
            "leaf:12:1\n"
            " 1: 1\n");
}

TEST_F(AutofdoTest, WithoutBranchesABlockRanAsOftenAsItsInstructions) {
  tables_.events[cycles_].kind = EventKind::kClock;
  ASSERT_TRUE(Begin(AutofdoEmitterInfo()).ok());
  AddIp(0x1100, 2);   // of 2 instructions
  AddIp(0x1108, 14);  // of 7
  AddIp(0x1114, 14);
  ASSERT_TRUE(Finish().ok());
  EXPECT_EQ(output(),
            "main:7680:64\n"
            " 1: 64\n"
            " 3: 256\n"
            " 4.2: twice:2048\n"
            "  1: 256\n");
}

TEST_F(AutofdoTest, WhatIsBeyondTheBudgetIsCounted) {
  Limit({{{1 << 20, 0}, {4, 0}, {1 << 20, 0}}});
  ASSERT_TRUE(Begin(AutofdoEmitterInfo()).ok());
  AddBranches({{0x1120, 0x1108}, {0x1208, 0x1110}, {0x110c, 0x1200}});
  ASSERT_TRUE(Finish().ok());
  EXPECT_GT(Skipped("range or branch beyond the limit on memory or work"), 0u);
}

TEST_F(AutofdoTest, CodeThatIsNotDecodedHasNoLines) {
  auto code = std::make_shared<TestCode>();
  code->decodes_ = false;
  app_code_ = code;
  ASSERT_TRUE(Begin(AutofdoEmitterInfo()).ok());
  AddBranches({{0x1120, 0x1108}});
  ASSERT_TRUE(Finish().ok());
  EXPECT_EQ(output(), "# no function with samples\n");
  EXPECT_EQ(diagnostics_.entries().count(
                "no sample profile was made: instructions of this machine are "
                "not decoded (x86 and AArch64 are)"),
            1u);
}

}  // namespace
}  // namespace perf2x
