// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/json_fields.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace perf2x {
namespace {

std::string TextOf(const std::vector<Field>& fields) {
  FieldsText text;
  return std::string(text.TextOf(fields));
}

// By the short way for numbers, and by WriteFields.
TEST(FieldsTextTest, NumbersAreTheSameWithAndWithoutATextBesideThem) {
  const std::vector<Field> numbers = {
      {"nr", uint64_t{37}},
      {"_a9", std::numeric_limits<int64_t>::min()},
      {"most", uint64_t{std::numeric_limits<int64_t>::max()}},
      {"zero", int64_t{0}}};
  EXPECT_EQ(TextOf(numbers), R"({"nr":37,"_a9":-9223372036854775808,)"
                             R"("most":9223372036854775807,"zero":0})");
  std::vector<Field> mixed = numbers;
  mixed.push_back({"t", absl::string_view("x")});
  const std::string short_text = TextOf(numbers);
  EXPECT_EQ(TextOf(mixed),
            short_text.substr(0, short_text.size() - 1) + R"(,"t":"x"})");
}

TEST(FieldsTextTest, OtherFieldsAreEscapedOrHexadecimal) {
  EXPECT_EQ(TextOf({}), "{}");
  EXPECT_EQ(TextOf({{"n", uint64_t{1}}, {"big", ~uint64_t{0}}}),
            R"({"n":1,"big":"0xffffffffffffffff"})");
  EXPECT_EQ(TextOf({{"n", uint64_t{1}}, {"a\"b", uint64_t{2}}}),
            R"({"n":1,"a\"b":2})");
  EXPECT_EQ(TextOf({{"mask", Field::Hex{16}}}), R"({"mask":"0x10"})");
}

}  // namespace
}  // namespace perf2x
