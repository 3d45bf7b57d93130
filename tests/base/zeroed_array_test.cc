// SPDX-License-Identifier: Apache-2.0
#include "converter/base/zeroed_array.h"

#include <gtest/gtest.h>

namespace perf2x {
namespace {

TEST(ZeroedArrayTest, IsZeroUntilWritten) {
  constexpr size_t kSize = 10000;
  ZeroedArray<int*> array(kSize);
  for (size_t i = 0; i < kSize; ++i) EXPECT_EQ(array[i], nullptr);
  int number = 0;
  array[0] = array[kSize - 1] = &number;
  EXPECT_EQ(array[0], &number);
  EXPECT_EQ(array[1], nullptr);
  EXPECT_EQ(array[kSize - 1], &number);
}

}  // namespace
}  // namespace perf2x
