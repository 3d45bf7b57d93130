// SPDX-License-Identifier: Apache-2.0
#include "converter/symbolize/dwarf/dwarf_package.h"

#include <gtest/gtest.h>

#include "tests/symbolize/dwarf/debug_bytes.h"

namespace perf2x {
namespace {

constexpr uint64_t kId = 5;  // its slots are 5, 6, 7, …
constexpr uint32_t kSlots = 256;

// Whether the unit is found if `others` units are in slots before its own.
bool IsFoundAfter(uint32_t others) {
  Bytes ids, rows;
  for (uint32_t slot = 0; slot < kSlots; ++slot) {
    const bool own = slot == kId + others;
    ids.U64(own ? kId : 1000 + slot);
    rows.U32(own || slot < kId + others ? 1 : 0);
  }
  Bytes index;
  index.U32(2).U32(1).U32(1).U32(kSlots).Add(ids.str()).Add(rows.str());
  index.U32(DW_SECT_INFO).U32(0).U32(4);
  DebugBytes debug;
  debug.Set(&DwarfSections::cu_index, index.str());
  debug.Set(&DwarfSections::info, "unit");
  return SectionsInPackage(debug.sections(), kId) != nullptr;
}

// No more, as a table that is full would be searched whole for each unit.
TEST(DwarfPackageTest, LooksInto64Slots) {
  for (uint32_t others : {0, 1, 63}) EXPECT_TRUE(IsFoundAfter(others));
  EXPECT_FALSE(IsFoundAfter(64));
}

}  // namespace
}  // namespace perf2x
