// SPDX-License-Identifier: Apache-2.0
#include "converter/base/chunked.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

namespace perf2x {
namespace {

// More than fit into three chunks.
constexpr uint32_t kItems = 800'000;

TEST(ChunkedTest, ItemsStayWhereTheyAre) {
  Chunked<uint64_t> items;
  items.push_back(7);
  const uint64_t* first = &items[0];
  for (uint32_t i = 1; i < kItems; ++i) items.push_back(i + 7);
  EXPECT_EQ(items.size(), kItems);
  EXPECT_EQ(first, &items[0]);
  for (uint32_t i = 0; i < kItems; ++i) ASSERT_EQ(items[i], i + 7);
}

TEST(ChunkedTest, GrowToAddsWhatIsMissing) {
  struct Item {
    int value = 5;
  };
  Chunked<Item> items;
  items.push_back({1});
  items.GrowTo(1);
  EXPECT_EQ(items.size(), 1u);
  items.GrowTo(kItems);
  EXPECT_EQ(items.size(), kItems);
  EXPECT_EQ(items[0].value, 1);
  EXPECT_EQ(items[kItems - 1].value, 5);
}

TEST(ChunkedTest, WhatLiesBehindTheForgottenStays) {
  Chunked<uint32_t> items;
  for (uint32_t i = 0; i < kItems; ++i) items.push_back(i);
  for (const uint32_t end : {0u, 1u, 1u << 18, 700'000u, 5u}) {
    items.FreeBelow(end);
    for (uint32_t i = std::max(end, 700'000u); i < kItems; ++i) {
      ASSERT_EQ(items[i], i);
    }
  }
  items.push_back(1);
  EXPECT_EQ(items[kItems], 1u);
}

}  // namespace
}  // namespace perf2x
