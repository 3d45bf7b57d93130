// SPDX-License-Identifier: Apache-2.0
#include "converter/base/stable_array.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <string>
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

TEST(StableArrayTest, HasItemsInOrderAndKnowsTheirIndexes) {
  StableArray<std::string, 4> array;
  EXPECT_TRUE(array.empty());
  EXPECT_EQ(array.begin(), array.end());
  for (int i = 0; i < 1000; ++i) array.push_back(std::string(100, 'x') + '#');
  array.back() = "last";
  EXPECT_FALSE(array.empty());
  EXPECT_EQ(array.end() - array.begin(), 1000);
  size_t at = 0;
  for (const std::string& item : array) {
    ASSERT_EQ(&item, &array[at]);
    ASSERT_EQ(array.IndexOf(item), at);
    ++at;
  }
  EXPECT_EQ(at, 1000u);
  const auto found = std::find(array.begin(), array.end(), "last");
  EXPECT_EQ(found - array.begin(), 999);
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
