// SPDX-License-Identifier: Apache-2.0
#include "converter/symbolize/dwarf/dwarf_lines.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/symbolize/dwarf/debug_bytes.h"

namespace perf2x {
namespace {

// What all headers have in common.
Bytes HeaderStart() {
  Bytes header;
  header.U8(1).U8(1).U8(1).U8(0xff).U8(14).U8(10);
  return header.Add(std::string("\0\1\1\1\1\0\0\0\1", 9));
}

std::string Table4(const std::string& dirs, const std::string& program) {
  const std::string header =
      HeaderStart().Add(dirs).U8(0).Add(std::string("f.c\0\1\0\0\0", 8)).str();
  Bytes table;
  table.U16(4).Sized(header).Add(program);
  return Bytes().Sized(table.str()).str();
}

std::string SetAddress(uint64_t address) {
  return Bytes().U8(0).U8(9).U8(DW_LNE_set_address).U64(address).str();
}

// Two rows for 32 bytes from `address` on, after `before`.
std::string Program(const std::string& before = "",
                    uint64_t address = kUnitCode) {
  Bytes program;
  program.Add(before).Add(SetAddress(address)).U8(DW_LNS_copy);
  program.U8(DW_LNS_advance_pc).U8(32).U8(0).U8(1).U8(DW_LNE_end_sequence);
  return program.str();
}

class LineTableTest : public testing::Test {
 protected:
  // Reads a table of .debug_line, whose strings are in .debug_line_str.
  LineTable Read(const std::string& line, const std::string& line_str = "") {
    debug_.Set(&DwarfSections::line, line);
    debug_.Set(&DwarfSections::line_str, line_str);
    unit_.sections = unit_.main = &debug_.sections();
    return LineTable(unit_, 0);
  }
  DebugBytes debug_;
  DwarfUnit unit_;
};

TEST_F(LineTableTest, ReadsLinesAndPaths) {
  LineTable table = Read(Table4(std::string("/d\0", 3), Program()));
  const LineTable::Row* row = table.Find(kUnitCode + 5);
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->line, 1u);
  EXPECT_EQ(table.FileName(row->file), "/d/f.c");
  EXPECT_LT(debug_.memory(), 10'000u);
  EXPECT_LT(debug_.work(), 100u);
}

TEST_F(LineTableTest, FoldersAreMemoryAndWork) {
  std::string dirs;
  for (int i = 0; i < 2000; ++i) dirs += std::string("a\0", 2);
  LineTable table = Read(Table4(dirs, Program()));
  EXPECT_EQ(table.FileName(1), "a/f.c");
  EXPECT_GE(debug_.memory(), 2000 * sizeof(absl::string_view));
  EXPECT_GE(debug_.work(), 2000u);
}

// More than the file's budget has room for: the rest has no names.
TEST_F(LineTableTest, FoldersEndWithTheBudget) {
  std::string dirs;
  for (int i = 0; i < 100'000; ++i) dirs += std::string("a\0", 2);
  LineTable table = Read(Table4(dirs, Program()));
  EXPECT_NE(table.Find(kUnitCode), nullptr);
  EXPECT_LT(debug_.memory(), debug_.budget().Limit(Budget::kMemory) * 5 / 4);
}

// Operations that make no rows, and rows of code that the linker discarded.
TEST_F(LineTableTest, OperationsAndDroppedRowsAreCharged) {
  Read(Table4("", Program(std::string(4000, DW_LNS_set_basic_block))));
  EXPECT_GE(debug_.work(), 1000u);
  const uint64_t before = debug_.memory();
  const std::string dropped =
      SetAddress(0) + std::string(4000, '\n') + std::string("\0\1\1", 3);
  LineTable table = Read(Table4("", Program(dropped)));
  EXPECT_NE(table.Find(kUnitCode), nullptr);
  EXPECT_EQ(table.Find(100), nullptr);
  EXPECT_GE(debug_.memory() - before, 4000 * sizeof(LineTable::Row));
}

// DWARF 5: folders that all are one long string, which is not searched for its
// end before it is asked for.
TEST_F(LineTableTest, StringsAreReadWhenTheyAreAskedFor) {
  Bytes header = HeaderStart();
  header.U8(1).U8(DW_LNCT_path).U8(DW_FORM_line_strp).U8(100);
  for (int i = 0; i < 100; ++i) header.U32(0);
  header.U8(2).U8(DW_LNCT_path).U8(DW_FORM_line_strp);
  header.U8(DW_LNCT_directory_index).U8(DW_FORM_udata);
  header.U8(1).U32(60'001).U8(7);
  Bytes table;
  table.U16(5).U8(8).U8(0).Sized(header.str()).Add(Program());
  LineTable lines = Read(Bytes().Sized(table.str()).str(),
                         std::string(60'000, 'd') + '\0' + "x.c" + '\0');
  const uint64_t before = debug_.memory();
  EXPECT_LT(before, 60'000u);
  EXPECT_EQ(lines.FileName(0), std::string(60'000, 'd') + "/x.c");
  EXPECT_GE(debug_.memory() - before, 60'000u);
}

}  // namespace
}  // namespace perf2x
