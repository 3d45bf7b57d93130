// SPDX-License-Identifier: Apache-2.0
#include "converter/inspect/info_value.h"

#include <gtest/gtest.h>

#include <string>

namespace perf2x {
namespace {

TEST(InfoValueTest, JsonHasNoControlCharacters) {
  InfoValue value;
  value["a\x7f"] = std::string("b\x7f\xc2\x9b");
  EXPECT_EQ(ToJson(value), "{\n \"a\\u007f\": \"b\\u007f\\u009B\"\n}\n");
}

TEST(InfoValueTest, JsonIsUtf8WhateverTheBytes) {
  InfoValue value;
  value["a\xff"] = std::string("\xff");
  EXPECT_EQ(ToJson(value), "{\n \"a\\uFFFD\": \"\\uFFFD\"\n}\n");
}

TEST(InfoValueTest, OfMembersWithTheSameNameTheLastCounts) {
  EXPECT_EQ(ToJson(ObjectOf({{"a", "1"}, {"b", "2"}, {"a", "3"}})),
            "{\n \"a\": \"3\",\n \"b\": \"2\"\n}\n");
}

// One long cell costs its own row some spaces, not all rows its length.
TEST(InfoValueTest, ALongCellDoesNotWidenOtherRows) {
  const std::string wide(10'000, 'x');
  InfoValue::List rows;
  for (const std::string& name : {std::string("a"), wide, std::string("b")}) {
    InfoValue row;
    row["name"] = name;
    row["type"] = uint64_t{1};
    rows.push_back(row);
  }
  InfoValue all;
  all["rows"] = rows;
  EXPECT_EQ(ToText(all),
            "rows\n"
            "  name  type\n"
            "  a     1\n"
            "  " +
                wide +
                "  1\n"
                "  b     1\n");
}

TEST(InfoValueTest, ALongKeyDoesNotWidenOtherLines) {
  const std::string wide(10'000, 'k');
  InfoValue all;
  all["a"] = uint64_t{1};
  all[wide] = uint64_t{2};
  all["key"] = uint64_t{3};
  EXPECT_EQ(ToText(all), "a    1\n" + wide + "  2\nkey  3\n");
}

}  // namespace
}  // namespace perf2x
