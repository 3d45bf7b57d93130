// SPDX-License-Identifier: Apache-2.0
#include "converter/base/stable_array.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace perf2x {
namespace {

constexpr size_t kItems = 100'000;

TEST(StableArrayTest, ItemsStayWhereTheyAre) {
  StableArray<size_t> array;
  EXPECT_EQ(array.memory(), 0u);
  std::vector<const size_t*> places;
  for (size_t i = 0; i < kItems; ++i) {
    array.push_back(3 * i);
    places.push_back(&array[i]);
  }
  EXPECT_EQ(array.size(), kItems);
  EXPECT_GE(array.memory(), kItems * sizeof(size_t));
  EXPECT_LE(array.memory(), 3 * kItems * sizeof(size_t));
  for (size_t i = 0; i < kItems; ++i) {
    ASSERT_EQ(places[i], &array[i]);
    ASSERT_EQ(array[i], 3 * i);
  }
}

TEST(StableArrayTest, OthersReadWhileItGrows) {
  StableArray<size_t> array;
  std::atomic<size_t> ready = 0;
  bool equal = true;
  std::thread reader([&] {
    for (size_t i = 0; i < kItems;) {
      for (const size_t end = ready.load(); i < end; ++i)
        equal &= array[i] == i;
    }
  });
  for (size_t i = 0; i < kItems; ++i) {
    array.push_back(i);
    ready.store(i + 1);
  }
  reader.join();
  EXPECT_TRUE(equal);
}

}  // namespace
}  // namespace perf2x
