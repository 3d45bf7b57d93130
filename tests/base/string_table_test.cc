#include "converter/base/string_table.h"

#include <gtest/gtest.h>

#include <string>

namespace perf2x {
namespace {

TEST(StringTableTest, EmptyStringIsZero) {
  StringTable table;
  EXPECT_EQ(table.Intern(""), 0u);
  EXPECT_EQ(table[0], "");
  EXPECT_EQ(table.size(), 1);
}

TEST(StringTableTest, NumbersInOrderOfArrival) {
  StringTable table;
  EXPECT_EQ(table.Intern("b"), 1u);
  EXPECT_EQ(table.Intern("a"), 2u);
  EXPECT_EQ(table.Intern("b"), 1u);
}

TEST(StringTableTest, StringsDoNotMove) {
  StringTable table;
  const absl::string_view first = table[table.Intern("first")];
  for (int i = 0; i < 10000; ++i) table.Intern(std::to_string(i));
  EXPECT_EQ(first, "first");
  EXPECT_EQ(table[1].data(), first.data());
}

}  // namespace
}  // namespace perf2x
