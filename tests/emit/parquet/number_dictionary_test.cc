// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/parquet/number_dictionary.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "tests/support/cpu_time.h"

namespace perf2x {
namespace {

TEST(NumberDictionaryTest, NumbersAreInOrderOfArrival) {
  const std::vector<uint64_t> numbers = {7, 7, 9, 7, 7, 9, 9, 7, 7, 7, 7, 7};
  NumberDictionary dictionary;
  ASSERT_TRUE(dictionary.Build(numbers));
  EXPECT_EQ(dictionary.distinct(), (std::vector<uint64_t>{7, 9}));
  ASSERT_EQ(dictionary.indexes().size(), numbers.size());
  EXPECT_EQ(dictionary.indexes()[2], 1u);
  EXPECT_EQ(dictionary.indexes()[3], 0u);
  EXPECT_FALSE(dictionary.Build({}));
}

// The inverse of the golden ratio, which is the usual multiplier of hashes:
// multiples of it would all have one slot, and take a thousand times as long.
TEST(NumberDictionaryTest, NoNumbersAreChosenToCollide) {
  constexpr uint64_t kGolden = 0x9e3779b97f4a7c15;
  uint64_t inverse = kGolden;  // by Newton's method
  for (int i = 0; i < 6; ++i) inverse *= 2 - kGolden * inverse;
  ASSERT_EQ(inverse * kGolden, 1u);
  auto seconds = [](uint64_t factor) {
    std::vector<uint64_t> numbers;
    for (uint64_t i = 0; i < 1'000'000; ++i) {
      numbers.push_back(factor * (i < 4000 ? i % 2000 : i % 40'000));
    }
    return CpuSecondsOf(
        [&] { EXPECT_TRUE(NumberDictionary().Build(numbers)); });
  };
  EXPECT_LT(seconds(inverse), 10 * seconds(1));
}

}  // namespace
}  // namespace perf2x
