// SPDX-License-Identifier: Apache-2.0
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

TEST(StringTableTest, FindsEachOfMany) {
  StringTable table;
  for (int i = 1; i <= 10000; ++i) table.Intern(std::to_string(i));
  for (StringId i = 1; i <= 10000; ++i) {
    EXPECT_EQ(table[i], std::to_string(i));
    EXPECT_EQ(table.Intern(std::to_string(i)), i);
  }
}

TEST(StringTableTest, TakesStringsOfAnySizeAndContent) {
  StringTable table;
  const std::string large(1 << 20, 'x');
  const std::string zeros(3, '\0');
  const StringId ids[] = {table.Intern("a"), table.Intern(large),
                          table.Intern(zeros), table.Intern("b")};
  EXPECT_EQ(table[ids[0]], "a");
  EXPECT_EQ(table[ids[1]], large);
  EXPECT_EQ(table[ids[2]], zeros);
  EXPECT_EQ(table[ids[3]], "b");
  EXPECT_NE(table.Intern(zeros.substr(1)), ids[2]);
}

}  // namespace
}  // namespace perf2x
