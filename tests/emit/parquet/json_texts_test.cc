// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/parquet/json_texts.h"

#include <gtest/gtest.h>

#include <vector>

namespace perf2x {
namespace {

TEST(JsonTextsTest, RemembersIdsOfEqualFields) {
  JsonTexts texts;
  const std::vector<Field> fields = {{"id", uint64_t{386}},
                                     {"nr", int64_t{-3}}};
  StringId* const id = texts.Find(fields);
  ASSERT_NE(id, nullptr);
  EXPECT_EQ(*id, 0u);
  *id = 7;
  EXPECT_EQ(*texts.Find(fields), 7u);
  EXPECT_EQ(texts.TextOf(fields), R"({"id":386,"nr":-3})");
  texts.Forget();
  EXPECT_EQ(*texts.Find(fields), 0u);
}

TEST(JsonTextsTest, TellsNamesTypesAndValuesApart) {
  const std::vector<Field> all[] = {{{"id", uint64_t{1}}},
                                    {{"id", uint64_t{2}}},
                                    {{"ie", uint64_t{1}}},
                                    {{"id", int64_t{1}}},
                                    {{"id", uint64_t{1}}, {"", uint64_t{0}}}};
  for (const auto& a : all) {
    for (const auto& b : all) {
      JsonTexts texts;
      *texts.Find(a) = 7;
      EXPECT_EQ(*texts.Find(b), &a == &b ? 7u : 0u);
    }
  }
}

TEST(JsonTextsTest, RemembersOnlyAFewIntegers) {
  JsonTexts texts;
  EXPECT_EQ(texts.Find(std::vector<Field>{{"a", 1.5}}), nullptr);
  EXPECT_EQ(texts.Find(std::vector<Field>{{"a", Field::Hex{1}}}), nullptr);
  EXPECT_EQ(texts.Find(std::vector<Field>{{"a", absl::string_view("b")}}),
            nullptr);
  EXPECT_EQ(texts.Find(std::vector<Field>(10, {"a", uint64_t{1}})), nullptr);
}

}  // namespace
}  // namespace perf2x
