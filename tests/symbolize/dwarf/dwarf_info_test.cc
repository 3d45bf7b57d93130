// SPDX-License-Identifier: Apache-2.0
#include "converter/symbolize/dwarf/dwarf_info.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <vector>

#include "tests/symbolize/dwarf/debug_bytes.h"

namespace perf2x {
namespace {

// `functions` of 16 bytes from kUnitCode on, in each of which `calls` are
// inlined.
void SetFunctions(int functions, int calls, DebugBytes* debug) {
  Bytes entries;
  entries.U8(1).U64(kUnitCode).U32(0x1000);
  for (int i = 0; i < functions; ++i) {
    entries.U8(2).U64(kUnitCode + 16 * static_cast<uint64_t>(i)).U32(16);
    entries.Add(std::string(static_cast<size_t>(calls), '\3')).U8(0);
  }
  const std::initializer_list<int> code = {DW_AT_low_pc, DW_FORM_addr,
                                           DW_AT_high_pc, DW_FORM_data4};
  debug->SetUnit(Abbreviation(1, DW_TAG_compile_unit, true, code) +
                     Abbreviation(2, DW_TAG_subprogram, true, code) +
                     Abbreviation(3, DW_TAG_inlined_subroutine, false, {}),
                 entries.U8(0).str());
}

// Inlined calls are memory of the file as long as they are kept.
TEST(DwarfInfoTest, KeptInlinedCallsAreMemory) {
  constexpr int kFunctions = 10, kCalls = 2000;
  DebugBytes debug;
  SetFunctions(kFunctions, kCalls, &debug);
  {
    DwarfInfo dwarf(debug.File());
    std::vector<DwarfFrame> frames;
    const uint64_t before = debug.memory();
    dwarf.Find(kUnitCode, /*inlines=*/true, &frames);
    const uint64_t of_one = debug.memory() - before;
    EXPECT_GE(of_one, kCalls * sizeof(InlineTree::Node));
    for (int i = 1; i < kFunctions; ++i) {
      dwarf.Find(kUnitCode + 16 * static_cast<uint64_t>(i), true, &frames);
      EXPECT_LT(debug.memory() - before, 2 * of_one);
    }
    EXPECT_EQ(frames.size(), static_cast<size_t>(kFunctions));
    SkippedParts skipped;
    dwarf.AddSkippedParts(&skipped);
    EXPECT_TRUE(skipped.entries.empty());
    EXPECT_FALSE(debug.budget().exhausted());
  }
  EXPECT_LT(debug.memory(), 10'000u);
}

TEST(DwarfInfoTest, InlinedCallsBeyondTheMemoryOfTheFileAreSkipped) {
  DebugBytes debug;
  SetFunctions(1, 8000, &debug);
  DwarfInfo dwarf(debug.File());
  std::vector<DwarfFrame> frames;
  dwarf.Find(kUnitCode, /*inlines=*/true, &frames);
  EXPECT_EQ(frames.size(), 1u);
  SkippedParts skipped;
  dwarf.AddSkippedParts(&skipped);
  EXPECT_EQ(skipped.entries.size(), 1u);
}

}  // namespace
}  // namespace perf2x
