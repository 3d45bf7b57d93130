// SPDX-License-Identifier: Apache-2.0
#include "converter/base/zeroed_array.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <new>
#include <utility>

namespace perf2x {
namespace {

struct Item {
  uint64_t a;
  uint32_t b, c;
};

// Below and above what is mapped, in bytes and in items that fit no page.
constexpr size_t kSizes[] = {1, 5, 256, 100'000, 262'143, 262'144, 300'001};

TEST(ZeroedArrayTest, ItemsStayAndNewOnesAreZero) {
  ZeroedArray<Item> items;
  EXPECT_EQ(items.size(), 0u);
  size_t before = 0;
  for (const size_t size : kSizes) {
    items.Grow(size);
    ASSERT_EQ(items.size(), size);
    for (size_t i = 0; i < size; ++i) {
      const uint32_t expected = i < before ? static_cast<uint32_t>(i) : 0;
      ASSERT_EQ(items[i].a, expected) << size;
      ASSERT_EQ(items[i].b, expected) << size;
      ASSERT_EQ(items[i].c, expected) << size;
      items[i] = {i, static_cast<uint32_t>(i), static_cast<uint32_t>(i)};
    }
    before = size;
  }
}

TEST(ZeroedArrayTest, GrowsFromNothingToManyPages) {
  ZeroedArray<uint64_t> items(3'000'000);
  for (size_t i = 0; i < items.size(); i += 511) ASSERT_EQ(items[i], 0u);
}

TEST(ZeroedArrayTest, DoesNotShrink) {
  ZeroedArray<uint32_t> items(10);
  items[9] = 7;
  items.Grow(3);
  EXPECT_EQ(items.size(), 10u);
  EXPECT_EQ(items[9], 7u);
}

TEST(ZeroedArrayTest, IsEmptyAndZeroAgainAfterClear) {
  for (const size_t size : kSizes) {
    ZeroedArray<uint64_t> items(size);
    items[size - 1] = 1;
    items.Clear();
    EXPECT_EQ(items.size(), 0u);
    items.Grow(size);
    EXPECT_EQ(items[size - 1], 0u);
  }
}

TEST(ZeroedArrayTest, StaysIfThereIsNoMemory) {
  for (const size_t size : kSizes) {
    ZeroedArray<uint64_t> items(size);
    items[size - 1] = 3;
    EXPECT_THROW(items.Grow(size_t{1} << 58), std::bad_alloc);
    EXPECT_EQ(items.size(), size);
    EXPECT_EQ(items[size - 1], 3u);
  }
}

TEST(ZeroedArrayTest, Moves) {
  for (const size_t size : kSizes) {
    ZeroedArray<uint64_t> items(size);
    items[size - 1] = 5;
    ZeroedArray<uint64_t> moved = std::move(items);
    ASSERT_EQ(moved.size(), size);
    EXPECT_EQ(moved[size - 1], 5u);
    moved = ZeroedArray<uint64_t>(1);
    EXPECT_EQ(moved.size(), 1u);
    EXPECT_EQ(moved[0], 0u);
  }
}

}  // namespace
}  // namespace perf2x
