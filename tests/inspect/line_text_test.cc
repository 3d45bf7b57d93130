// SPDX-License-Identifier: Apache-2.0
#include "converter/inspect/line_text.h"

#include <gtest/gtest.h>

#include <string>

namespace perf2x {
namespace {

std::string LineOf(const InfoValue& value, size_t most) {
  std::string line = "x";
  AppendMembers(*value.object(), most, &line);
  return line;
}

TEST(LineTextTest, QuotesAndEscapes) {
  EXPECT_EQ(QuotedText("a \"b\" \\ \x1b[2J"), R"("a \"b\" \\ \x1b[2J")");
}

TEST(LineTextTest, ValuesAreOnOneLine) {
  InfoValue value;
  value["text"] = "a\nb";
  value["number"] = 7u;
  value["flag"] = true;
  InfoValue row;
  row["cpu"] = 1u;
  value["rows"] = InfoValue::List{row, row};
  EXPECT_EQ(LineOf(value, 1000),
            "x text=\"a\\x0ab\" number=7 flag=yes rows=[{cpu=1} {cpu=1}]");
  EXPECT_EQ(LineOf(InfoValue(), 1000), "x");
}

// However much is left out, whether text or members, that is said once.
TEST(LineTextTest, LongValuesAreCut) {
  InfoValue value;
  value["text"] = std::string(1 << 20, 'a');
  value["more"] = 7u;
  EXPECT_EQ(LineOf(value, 10), "x text=\"aaaa\" …");
  value = InfoValue();
  value["list"] = InfoValue::List(1000, InfoValue(7u));
  EXPECT_EQ(LineOf(value, 10), "x list=[7 7 …]");
  value = InfoValue();
  value["number"] = 1234567u;
  EXPECT_EQ(LineOf(value, 10), "x number=1234567");
}

}  // namespace
}  // namespace perf2x
