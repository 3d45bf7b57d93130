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

// As perf inject --jit writes it.
TEST(DwarfInfoTest, AUnitMayHaveNothingButLines) {
  Bytes header, program, table;
  header.U8(1).U8(1).U8(1).U8(0xff).U8(14).U8(10);
  header.Add(std::string("\0\1\1\1\1\0\0\0\1", 9)).U8(0);
  header.Add(std::string("a.js\0\0\0\0", 8)).U8(0);
  program.U8(0).U8(9).U8(DW_LNE_set_address).U64(kUnitCode);
  program.U8(DW_LNS_advance_line).U8(6).U8(DW_LNS_copy);
  program.U8(DW_LNS_advance_pc).U8(32).U8(0).U8(1).U8(DW_LNE_end_sequence);
  table.U16(4).Sized(header.str()).Add(program.str());
  DebugBytes debug;
  debug.SetUnit(Abbreviation(1, DW_TAG_compile_unit, true,
                             {DW_AT_stmt_list, DW_FORM_data4}),
                Bytes().U8(1).U32(0).str());
  debug.Set(&DwarfSections::line, Bytes().Sized(table.str()).str());
  DwarfInfo dwarf(debug.File());
  std::vector<DwarfFrame> frames;
  dwarf.Find(kUnitCode + 31, /*inlines=*/true, &frames);
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_EQ(frames[0].file, "a.js");
  EXPECT_EQ(frames[0].line, 7u);
  EXPECT_EQ(frames[0].name, "");
  frames.clear();
  dwarf.Find(kUnitCode + 32, /*inlines=*/true, &frames);
  EXPECT_TRUE(frames.empty());
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
