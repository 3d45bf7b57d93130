// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/html/columns.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "tests/support/html_page.h"

namespace perf2x {
namespace {

TEST(ColumnTest, PlanesHaveTheLowestBytesFirst) {
  const PageColumn column("c", {0x0102, 0x03, 0x0405});
  EXPECT_EQ(column.width(), 2);
  EXPECT_EQ(column.planes(), std::string("\x02\x03\x05\x01\x00\x04", 6));
}

TEST(ColumnTest, DifferencesWrap) {
  const PageColumn column("c", {5, 7, 6}, ColumnCode::kDelta);
  EXPECT_EQ(column.width(), 1);
  EXPECT_EQ(column.planes(), "\x05\x02\xff");
}

TEST(ColumnTest, ZerosHaveNoBytes) {
  const PageColumn column("c", {0, 0, 0});
  EXPECT_EQ(column.width(), 0);
  EXPECT_EQ(column.count(), 3u);
  EXPECT_EQ(column.planes(), "");
  EXPECT_EQ(column.EstimatedCompressedSize(), 0u);
}

TEST(ColumnTest, SizeIsThatOfACodeByFrequency) {
  // Four values, equally frequent: two bits each.
  std::vector<uint64_t> values;
  for (uint64_t i = 0; i < 4000; ++i) values.push_back(i % 4);
  EXPECT_EQ(PageColumn("c", values).EstimatedCompressedSize(), 1000u);
}

TEST(ColumnBlockTest, IsReadAsItWasWritten) {
  const std::vector<uint64_t> large = {
      0, 1, std::numeric_limits<uint64_t>::max(), uint64_t{1} << 40};
  const std::vector<uint64_t> small = {70'000, 3, 65'536, 65'535, 0};
  ColumnBlock block;
  block.set_meta("{\"what\": \"test\"}");
  block.Add(PageColumn("large", large));
  block.Add(PageColumn("small", small, ColumnCode::kDelta));
  block.Add(PageColumn("none", {}));
  std::string bytes;
  ASSERT_TRUE(block.WriteTo(*MakeStringOutput(&bytes)).ok());
  const auto read = PageBlock::Parse(bytes);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_STREQ(read->meta()["what"].GetString(), "test");
  EXPECT_EQ((*read)["large"], large);
  EXPECT_EQ((*read)["small"], small);
  EXPECT_TRUE((*read)["none"].empty());
}

}  // namespace
}  // namespace perf2x
