// SPDX-License-Identifier: Apache-2.0
#include "converter/base/leb128.h"

#include <gtest/gtest.h>

#include <vector>

namespace perf2x {
namespace {

// `size` bytes, the last of which is `last`; those between add nothing.
std::vector<uint8_t> Padded(uint8_t first, int size, uint8_t between,
                            uint8_t last) {
  std::vector<uint8_t> bytes = {static_cast<uint8_t>(first | 0x80)};
  while (static_cast<int>(bytes.size()) < size - 1) bytes.push_back(between);
  bytes.push_back(last);
  return bytes;
}

TEST(Leb128Test, PaddedIntegersAreRead) {
  for (int size = 2; size <= kMaxLeb128Size; ++size) {
    const std::vector<uint8_t> five = Padded(5, size, 0x80, 0);
    ByteReader in(five, kHostOrder), again(five, kHostOrder);
    EXPECT_EQ(ReadUleb128(in), 5u) << size;
    EXPECT_TRUE(in.ok());
    EXPECT_EQ(in.left(), 0u);
    EXPECT_EQ(ReadSleb128(again), 5) << size;
    const std::vector<uint8_t> minus = Padded(0x7b, size, 0xff, 0x7f);
    ByteReader negative(minus, kHostOrder);
    EXPECT_EQ(ReadSleb128(negative), -5) << size;
    EXPECT_TRUE(negative.ok());
  }
}

TEST(Leb128Test, LargestAndSmallest) {
  const std::vector<uint8_t> most = Padded(0x7f, 10, 0xff, 0x01);
  ByteReader in(most, kHostOrder);
  EXPECT_EQ(ReadUleb128(in), ~uint64_t{0});
  const std::vector<uint8_t> least = Padded(0, 10, 0x80, 0x7f);
  ByteReader negative(least, kHostOrder);
  EXPECT_EQ(ReadSleb128(negative), INT64_MIN);
}

// A number as long as its section would be read for each reference to it.
TEST(Leb128Test, LongerIntegersAreDamage) {
  std::vector<uint8_t> bytes = Padded(5, kMaxLeb128Size + 1, 0x80, 0);
  bytes.push_back(1);
  ByteReader in(bytes, kHostOrder), again(bytes, kHostOrder);
  ReadUleb128(in);
  EXPECT_FALSE(in.ok());
  ReadSleb128(again);
  EXPECT_FALSE(again.ok());
}

TEST(Leb128Test, IntegersThatEndTooSoonAreDamage) {
  const std::vector<uint8_t> bytes = {0x80, 0x80};
  ByteReader in(bytes, kHostOrder), again(bytes, kHostOrder);
  ReadUleb128(in);
  EXPECT_FALSE(in.ok());
  ReadSleb128(again);
  EXPECT_FALSE(again.ok());
}

}  // namespace
}  // namespace perf2x
