// SPDX-License-Identifier: Apache-2.0
#include "converter/symbolize/dwarf/dwarf_unit.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/symbolize/dwarf/debug_bytes.h"

namespace perf2x {
namespace {

// Reads the name of the one entry in a unit. Returns the steps that it takes.
uint64_t WorkOfName(uint8_t form, const std::string& value, std::string* name) {
  DebugBytes debug;
  debug.SetUnit(
      Abbreviation(1, DW_TAG_compile_unit, true, {}) +
          Abbreviation(2, DW_TAG_subprogram, false, {DW_AT_name, form}),
      "\1\2" + value);
  const DwarfUnit unit = debug.ReadUnit();
  const uint64_t before = debug.work();
  {
    EntryReader reader(unit, unit.entries);
    DwarfEntry entry;
    EXPECT_TRUE(reader.Next(&entry));
    reader.Skip(entry);
    EXPECT_TRUE(reader.Next(&entry));
    reader.Attributes(entry, [&](uint16_t, const DwarfValue& v) {
      *name = std::string(v.text);
    });
  }
  return debug.work() - before;
}

TEST(EntryReaderTest, EachFormOfAChainIsAStep) {
  std::string name;
  EXPECT_LT(WorkOfName(DW_FORM_string, std::string("f\0", 2), &name), 10u);
  EXPECT_EQ(name, "f");
  const std::string chain(1000, DW_FORM_indirect);
  EXPECT_GE(WorkOfName(DW_FORM_indirect,
                       chain + static_cast<char>(DW_FORM_string) +
                           std::string("g\0", 2),
                       &name),
            1000u);
  EXPECT_EQ(name, "g");
}

TEST(EntryReaderTest, LongStringsAreWork) {
  std::string name;
  const std::string text(64'000, 'n');
  EXPECT_GE(WorkOfName(DW_FORM_string, text + '\0', &name), 1000u);
  EXPECT_EQ(name, text);
  // Without an end.
  EXPECT_GE(WorkOfName(DW_FORM_string, text, &name), 1000u);
}

}  // namespace
}  // namespace perf2x
