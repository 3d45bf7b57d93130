// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/used_strings.h"

#include <gtest/gtest.h>

namespace perf2x {
namespace {

TEST(UsedStringsTest, NumbersByFirstUse) {
  StringTable table;
  const StringId unused = table.Intern("unused"), used = table.Intern("used");
  UsedStrings strings(table);
  EXPECT_EQ(strings.IndexOf(""), 0);
  EXPECT_EQ(strings.IndexOf("new"), 1);
  EXPECT_EQ(strings.IndexOf(used), 2);
  EXPECT_EQ(strings.IndexOf("used"), 2);
  EXPECT_EQ(strings.IndexOf(table.Intern("later")), 3);
  ASSERT_EQ(strings.size(), 4);
  EXPECT_EQ(strings[0], "");
  EXPECT_EQ(strings[1], "new");
  EXPECT_EQ(strings[2], "used");
  EXPECT_EQ(strings[3], "later");
  EXPECT_EQ(strings.IndexOf(unused), 4);
}

}  // namespace
}  // namespace perf2x
