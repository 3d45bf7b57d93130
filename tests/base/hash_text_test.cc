// SPDX-License-Identifier: Apache-2.0
#include "converter/base/hash_text.h"

#include <gtest/gtest.h>

#include <string>

namespace perf2x {
namespace {

TEST(HashTextTest, OnlyEqualTextsHaveEqualHashes) {
  const std::string text = "main.cc", same = text;
  EXPECT_EQ(HashText(text), HashText(same));
  EXPECT_FALSE(HashText(text) == HashText("main.c"));
  EXPECT_FALSE(HashText(text) == HashText(""));
  EXPECT_EQ(HashText(""), HashText(absl::string_view()));
}

}  // namespace
}  // namespace perf2x
