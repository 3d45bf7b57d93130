// SPDX-License-Identifier: Apache-2.0
#include "converter/symbolize/dwarf/inline_tree_cache.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tests/symbolize/dwarf/debug_bytes.h"

namespace perf2x {
namespace {

constexpr int kFunctions = 10, kCalls = 2000;

// A unit of functions, in each of which kCalls functions are inlined.
class InlineTreeCacheTest : public testing::Test {
 protected:
  InlineTreeCacheTest() {
    Bytes entries;
    entries.U8(1);
    for (int i = 0; i < kFunctions; ++i) {
      entries.U8(2).Add(std::string(kCalls, '\3')).U8(0);
    }
    debug_.SetUnit(Abbreviation(1, DW_TAG_compile_unit, true, {}) +
                       Abbreviation(2, DW_TAG_subprogram, true, {}) +
                       Abbreviation(3, DW_TAG_inlined_subroutine, false, {}),
                   entries.U8(0).str());
    unit_ = debug_.ReadUnit();
  }
  // Returns the offset of the entry of the i-th function.
  uint64_t Function(int i) const {
    return unit_.entries + 1 + static_cast<uint64_t>(i) * (kCalls + 2);
  }

  DebugBytes debug_;
  DwarfUnit unit_;
  SkippedParts skipped_;
};

TEST_F(InlineTreeCacheTest, KeepsTrees) {
  InlineTreeCache trees(debug_.budget(), &skipped_);
  const InlineTree* const first = &trees.At(unit_, Function(0));
  const uint64_t work = debug_.work();
  EXPECT_EQ(&trees.At(unit_, Function(0)), first);
  EXPECT_EQ(debug_.work(), work);
  EXPECT_TRUE(skipped_.empty());
}

TEST_F(InlineTreeCacheTest, TheirMemoryIsChargedAndHasALimit) {
  const uint64_t before = debug_.memory();
  {
    InlineTreeCache trees(debug_.budget(), &skipped_);
    const uint64_t of_one = trees.At(unit_, Function(0)).memory();
    EXPECT_GE(of_one, kCalls * sizeof(InlineTree::Node));
    EXPECT_EQ(debug_.memory() - before, of_one);
    for (int i = 1; i < kFunctions; ++i) {
      trees.At(unit_, Function(i));
      EXPECT_LT(debug_.memory() - before, 2 * of_one);
    }
    EXPECT_TRUE(skipped_.empty());
  }
  EXPECT_EQ(debug_.memory(), before);
}

TEST_F(InlineTreeCacheTest, TruncatedTreesAreSkippedParts) {
  InlineTreeCache trees(debug_.budget(), &skipped_);
  const uint64_t left = debug_.budget().left(Budget::kMemory);
  debug_.budget().Spend(Budget::kMemory,
                        left - kCalls * sizeof(InlineTree::Node));
  EXPECT_TRUE(trees.At(unit_, Function(1)).truncated());
  EXPECT_EQ(skipped_.entries, std::set<uint64_t>{Function(1)});
}

}  // namespace
}  // namespace perf2x
