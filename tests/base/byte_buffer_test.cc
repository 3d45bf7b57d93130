// SPDX-License-Identifier: Apache-2.0
#include "converter/base/byte_buffer.h"

#include <gtest/gtest.h>

#include <string>

namespace perf2x {
namespace {

TEST(ByteBufferTest, KeepsBytesAsItGrows) {
  ByteBuffer buffer;
  std::string expected;
  for (int i = 0; i < 1000; ++i) {
    const std::string number = std::to_string(i);
    expected += number + ",";
    buffer.Append(number);
    char* const end = buffer.Reserve(1);
    *end = ',';
    buffer.SetEnd(end + 1);
  }
  EXPECT_EQ(buffer.view(), expected);
  EXPECT_EQ(buffer.size(), expected.size());
  const ByteBuffer copy(buffer);
  buffer.Clear(/*most_kept=*/0);
  EXPECT_EQ(buffer.view(), "");
  EXPECT_EQ(copy.view(), expected);
}

TEST(ByteBufferTest, KeepsItsMemoryUpToALimit) {
  ByteBuffer buffer;
  buffer.Append("");
  EXPECT_EQ(buffer.view(), "");
  const char* const memory = buffer.Reserve(100);
  buffer.Append("abc");
  buffer.Clear(/*most_kept=*/100);
  EXPECT_EQ(buffer.Reserve(100), memory);
  buffer.Append("abc");
  buffer.Clear(/*most_kept=*/99);
  buffer.Append("d");
  EXPECT_EQ(buffer.view(), "d");
}

}  // namespace
}  // namespace perf2x
