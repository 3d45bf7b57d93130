// SPDX-License-Identifier: Apache-2.0
#include "converter/base/radix_sort.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace perf2x {
namespace {

// What std::stable_sort makes of numbers below 2^`bits`, with `high` on top.
void ExpectSorted(size_t count, int bits, uint64_t high) {
  std::mt19937_64 random(1);
  std::vector<Keyed<uint32_t>> items, scratch;
  for (uint32_t i = 0; i < count; ++i) {
    items.push_back({high | random() >> (64 - bits), i});
  }
  auto expected = items;
  std::stable_sort(expected.begin(), expected.end(),
                   [](const auto& a, const auto& b) { return a.key < b.key; });
  RadixSort(&items, &scratch);
  ASSERT_EQ(items.size(), count);
  for (size_t i = 0; i < count; ++i) {
    ASSERT_EQ(items[i].key, expected[i].key);
    ASSERT_EQ(items[i].value, expected[i].value);
  }
}

TEST(RadixSortTest, AsStableSort) {
  ExpectSorted(0, 1, 0);
  ExpectSorted(1, 64, 0);
  ExpectSorted(1000, 8, 0);  // most keys are there several times
  ExpectSorted(1000, 20, uint64_t{0xffffffff8} << 28);
  ExpectSorted(5000, 64, 0);
}

TEST(RadixSortTest, KeysThatAreAllEqualStay) {
  std::vector<Keyed<int>> items = {{7, 1}, {7, 0}}, scratch;
  RadixSort(&items, &scratch);
  EXPECT_EQ(items[0].value, 1);
  EXPECT_EQ(items[1].value, 0);
}

}  // namespace
}  // namespace perf2x
