// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/csv/cell_texts.h"

#include <gtest/gtest.h>

#include <string>

namespace perf2x {
namespace {

TEST(CellTextsTest, ColumnsShareTheTextsOfATable) {
  StringTable strings;
  const StringId plain = strings.Intern("main");
  const StringId list = strings.Intern("f(int, char)");
  CellTexts texts(Budget::Unlimited());
  EXPECT_EQ(texts.TextOf(0, Cell::Text(strings, list)), "\"f(int, char)\"");
  EXPECT_EQ(texts.TextOf(3, Cell::Text(strings, list)).data(),
            texts.TextOf(0, Cell::Text(strings, list)).data());
  // What needs no change is not copied.
  EXPECT_EQ(texts.TextOf(1, Cell::Text(strings, plain)).data(),
            strings[plain].data());
  EXPECT_EQ(texts.TextOf(1, Cell::Text(strings, 0)), "");
}

TEST(CellTextsTest, ColumnsHaveTheirOwnKeys) {
  CellTexts texts(Budget::Unlimited());
  {
    const std::string first = "=1", second = "a\tb";
    EXPECT_EQ(texts.TextOf(0, Cell::Text(first, 7)), "'=1");
    EXPECT_EQ(texts.TextOf(1, Cell::Text(second, 7)), "a\\x09b");
    EXPECT_EQ(texts.TextOf(1, Cell::Text("c", 0)), "c");
  }
  // The texts were copied.
  EXPECT_EQ(texts.TextOf(0, Cell::Text("other", 7)), "'=1");
  EXPECT_EQ(texts.TextOf(1, Cell::Text("", 7)), "a\\x09b");
}

TEST(CellTextsTest, TextsAreCharged) {
  Budget budget;
  CellTexts texts(budget);
  for (uint32_t key = 0; key < 1000; ++key) {
    texts.TextOf(0, Cell::Text(std::string(1000, 'x'), key));
  }
  EXPECT_GT(budget.used(Budget::kMemory), 900'000u);
}

}  // namespace
}  // namespace perf2x
