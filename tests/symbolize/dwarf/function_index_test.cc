// SPDX-License-Identifier: Apache-2.0
#include "converter/symbolize/dwarf/function_index.h"

#include <gtest/gtest.h>

#include "tests/symbolize/dwarf/debug_bytes.h"

namespace perf2x {
namespace {

constexpr uint64_t kOuter = 0x1000, kNested = 0x2000;

// A unit with a function of 16 bytes at kOuter, and one at kNested that is in a
// type.
class FunctionIndexTest : public testing::Test {
 protected:
  FunctionIndexTest() {
    Bytes entries;
    entries.U8(1).U8(2).U64(kOuter).U32(16);
    entries.U8(3).U8(2).U64(kNested).U32(16).U8(0).U8(0);
    debug_.SetUnit(Abbreviation(1, DW_TAG_compile_unit, true, {}) +
                       Abbreviation(2, DW_TAG_subprogram, false,
                                    {DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc,
                                     DW_FORM_data4}) +
                       Abbreviation(3, DW_TAG_structure_type, true, {}),
                   entries.str());
    unit_ = debug_.ReadUnit();
  }

  DebugBytes debug_;
  DwarfUnit unit_;
  SkippedParts skipped_;
};

TEST_F(FunctionIndexTest, FindsOuterAndNestedFunctions) {
  FunctionIndex index(unit_, &skipped_);
  const uint64_t* const outer = index.Find(kOuter);
  ASSERT_NE(outer, nullptr);
  EXPECT_EQ(*outer, unit_.entries + 1);
  EXPECT_EQ(index.Find(kOuter + 16), nullptr);
  const uint64_t* const nested = index.Find(kNested + 15);
  ASSERT_NE(nested, nullptr);
  EXPECT_EQ(*nested, unit_.entries + 1 + 13 + 1);
  EXPECT_TRUE(skipped_.empty());
}

TEST_F(FunctionIndexTest, ReadsNestedFunctionsOnlyIfNoOuterOneIsFound) {
  FunctionIndex index(unit_, &skipped_);
  const auto ranges = [&index] {
    int count = 0;
    index.ForEach([&count](uint64_t, uint64_t, uint64_t) { ++count; });
    return count;
  };
  index.ReadOuter();
  const uint64_t work = debug_.work();
  EXPECT_NE(index.Find(kOuter), nullptr);
  EXPECT_EQ(ranges(), 1);
  EXPECT_EQ(debug_.work(), work);
  EXPECT_EQ(index.Find(kNested + 16), nullptr);
  EXPECT_EQ(ranges(), 2);
  const uint64_t of_all = debug_.work();
  EXPECT_GT(of_all, work);
  EXPECT_EQ(index.Find(kNested + 16), nullptr);
  EXPECT_EQ(debug_.work(), of_all);
}

}  // namespace
}  // namespace perf2x
