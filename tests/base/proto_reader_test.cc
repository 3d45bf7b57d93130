// SPDX-License-Identifier: Apache-2.0
#include "converter/base/proto_reader.h"

#include <gtest/gtest.h>

#include <vector>

namespace perf2x {
namespace {

TEST(ProtoReaderTest, ReadsAllWireTypes) {
  const std::vector<uint8_t> message = {
      0x08, 0x96, 0x01,                         // 1: 150
      0x12, 0x02, 'h',  'i',                    // 2: "hi"
      0x19, 1,    0,    0,   0, 0, 0, 0, 0x80,  // 3: fixed64
      0x25, 7,    0,    0,   0,                 // 4: fixed32
  };
  ProtoReader in(message);
  ASSERT_TRUE(in.Next());
  EXPECT_EQ(in.field(), 1u);
  EXPECT_EQ(in.number(), 150u);
  EXPECT_FALSE(in.is_bytes());
  ASSERT_TRUE(in.Next());
  EXPECT_EQ(in.field(), 2u);
  EXPECT_TRUE(in.is_bytes());
  EXPECT_EQ(in.bytes().size(), 2u);
  EXPECT_EQ(in.number(), 0u);
  ASSERT_TRUE(in.Next());
  EXPECT_EQ(in.number(), 0x8000000000000001u);
  ASSERT_TRUE(in.Next());
  EXPECT_EQ(in.number(), 7u);
  EXPECT_FALSE(in.Next());
  EXPECT_TRUE(in.ok());
}

TEST(ProtoReaderTest, FailsWhereverTheMessageIsCut) {
  const std::vector<uint8_t> message = {0x12, 0x03, 'a',  'b',
                                        'c',  0x18, 0x80, 0x01};
  for (size_t size = 1; size < message.size(); ++size) {
    ProtoReader in(absl::MakeConstSpan(message).subspan(0, size));
    while (in.Next()) {
    }
    EXPECT_EQ(in.ok(), size == 5) << size;
  }
}

TEST(ProtoReaderTest, ReadsPackedAndSingleNumbers) {
  const std::vector<uint8_t> message = {0x0a, 0x03, 0x01, 0x80,
                                        0x01, 0x08, 0x05};
  std::vector<uint64_t> numbers;
  ProtoReader in(message);
  while (in.Next()) {
    in.ForEachNumber([&](uint64_t number) { numbers.push_back(number); });
  }
  EXPECT_TRUE(in.ok());
  EXPECT_EQ(numbers, (std::vector<uint64_t>{1, 128, 5}));
}

TEST(ProtoReaderTest, RefusesGroupsLongVarintsAndFieldZero) {
  for (const std::vector<uint8_t>& message : {
           std::vector<uint8_t>{0x0b, 0x0c},
           std::vector<uint8_t>{0x00, 0x01},
           std::vector<uint8_t>(12, 0xff),
       }) {
    ProtoReader in(message);
    EXPECT_FALSE(in.Next());
    EXPECT_FALSE(in.ok());
  }
}

}  // namespace
}  // namespace perf2x
