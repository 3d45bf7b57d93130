// SPDX-License-Identifier: Apache-2.0
#include "converter/base/byte_reader.h"

#include <gtest/gtest.h>

namespace perf2x {
namespace {

constexpr uint8_t kBytes[] = {1, 2, 3, 4, 5, 6, 7, 8, 'h', 'i', 0, 'x'};

TEST(ByteReaderTest, ReadsBothByteOrders) {
  ByteReader little(kBytes, ByteOrder::kLittle);
  EXPECT_EQ(little.U64(), 0x0807060504030201u);
  ByteReader big(kBytes, ByteOrder::kBig);
  EXPECT_EQ(big.U16(), 0x0102);
  EXPECT_EQ(big.U32(), 0x03040506u);
  EXPECT_EQ(big.U8(), 7);
  EXPECT_EQ(big.offset(), 7);
  EXPECT_TRUE(big.ok());
}

TEST(ByteReaderTest, StaysFailedAfterAShortRead) {
  ByteReader in({kBytes, 3}, ByteOrder::kLittle);
  EXPECT_EQ(in.U32(), 0u);
  EXPECT_FALSE(in.ok());
  EXPECT_EQ(in.U8(), 0);  // though three bytes were left
  EXPECT_EQ(in.left(), 0);
}

TEST(ByteReaderTest, CountAdmitsOnlyWhatIsLeft) {
  ByteReader in(kBytes, ByteOrder::kLittle);
  EXPECT_EQ(in.CheckedCount(3, 4), 3u);
  EXPECT_EQ(in.CheckedCount(~uint64_t{0}, 8), 0u);
  EXPECT_FALSE(in.ok());
}

TEST(ByteReaderTest, WordsPastTheEndAreEmpty) {
  ByteReader in(kBytes, ByteOrder::kBig);
  const WordSpan words = in.Words(1);
  ASSERT_EQ(words.size(), 1);
  EXPECT_EQ(words[0], 0x0102030405060708u);
  EXPECT_TRUE(in.Words(1).empty());
  EXPECT_FALSE(in.ok());
}

TEST(ByteReaderTest, Strings) {
  ByteReader in(kBytes, ByteOrder::kLittle);
  in.Skip(8);
  EXPECT_EQ(in.CString(), "hi");
  EXPECT_EQ(in.FixedString(1), "x");
  EXPECT_TRUE(in.ok());
  ByteReader open({kBytes, 8}, ByteOrder::kLittle);
  EXPECT_EQ(open.CString(), "");  // no NUL left
  EXPECT_FALSE(open.ok());
}

TEST(ByteReaderTest, EmptyInput) {
  ByteReader in({}, ByteOrder::kLittle);
  EXPECT_TRUE(in.Rest().empty());
  EXPECT_TRUE(in.ok());
  EXPECT_EQ(in.CString(), "");
  EXPECT_FALSE(in.ok());
}

}  // namespace
}  // namespace perf2x
