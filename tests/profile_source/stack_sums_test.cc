// SPDX-License-Identifier: Apache-2.0
#include "converter/profile_source/stack_sums.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

namespace perf2x {
namespace {

using testing::ElementsAre;

class StackSumsTest : public testing::Test {
 protected:
  void Add(const std::vector<uint64_t>& locations, uint32_t label_set,
           const std::vector<size_t>& columns,
           const std::vector<int64_t>& values) {
    sums_.Add(locations, label_set, columns, values);
  }
  size_t Column(const char* type) {
    const size_t column = sums_.ColumnOf({.type = type, .unit = "count"});
    sums_.FillColumns();
    return column;
  }
  // Returns the values of a column by stack.
  std::vector<int64_t> Values(size_t column) const {
    std::vector<int64_t> values;
    for (StackId i = 0; i < sums_.stacks().size(); ++i) {
      values.push_back(sums_.value(column, i));
    }
    return values;
  }

  StackSums sums_;
};

TEST_F(StackSumsTest, SamplesOfAStackAreAddedUp) {
  const size_t cpu = Column("cpu");
  Add({1, 2}, 0, {cpu}, {5});
  Add({2, 1}, 0, {cpu}, {7});
  Add({1, 2}, 1, {cpu}, {11});
  Add({1, 2}, 0, {cpu}, {13});
  Add({2, 1}, 0, {cpu}, {INT64_MAX});
  EXPECT_THAT(Values(cpu), ElementsAre(18, INT64_MAX, 11));
  EXPECT_EQ(sums_.stacks().address_space(2), 1u);
}

TEST_F(StackSumsTest, ANewColumnHasZerosForEarlierStacks) {
  const size_t cpu = Column("cpu");
  Add({1}, 0, {cpu}, {5});
  const size_t space = Column("space");
  EXPECT_EQ(Column("cpu"), cpu);
  EXPECT_EQ(sums_.columns().size(), 2u);
  Add({2}, 0, {space, cpu}, {3, 4});
  EXPECT_THAT(Values(cpu), ElementsAre(5, 4));
  EXPECT_THAT(Values(space), ElementsAre(0, 3));
}

// The room of a new column is charged before it is allocated.
TEST_F(StackSumsTest, MemoryHasTheRoomOfAColumnBeforeItIsMade) {
  const size_t cpu = Column("cpu");
  constexpr uint64_t kStacks = 100'000;
  for (uint64_t i = 0; i < kStacks; ++i) Add({i}, 0, {cpu}, {1});
  const uint64_t before = sums_.memory();
  sums_.ColumnOf({.type = "space", .unit = "bytes"});
  const uint64_t after = sums_.memory();
  EXPECT_GE(after - before, kStacks / 4);
  sums_.FillColumns();
  EXPECT_EQ(sums_.memory(), after);
}

TEST_F(StackSumsTest, ValuesAreChargedAndZerosAreNot) {
  const size_t cpu = Column("cpu"), space = Column("space");
  constexpr uint64_t kStacks = 10'000;
  for (uint64_t i = 0; i < kStacks; ++i) Add({i}, 0, {cpu, space}, {1, 0});
  const uint64_t one = sums_.memory();
  for (uint64_t i = 0; i < kStacks; ++i) Add({i}, 0, {cpu, space}, {1, 0});
  EXPECT_EQ(sums_.memory(), one);
  for (uint64_t i = 0; i < kStacks; ++i) Add({i}, 0, {cpu, space}, {0, 1});
  EXPECT_GE(sums_.memory() - one, kStacks * sizeof(int64_t));
  EXPECT_EQ(Values(cpu), std::vector<int64_t>(kStacks, 2));
  EXPECT_EQ(Values(space), std::vector<int64_t>(kStacks, 1));
}

// As of recordings that have events of their own.
TEST_F(StackSumsTest, StacksWithOtherColumnsShareNoMemory) {
  constexpr size_t kColumns = 500;
  constexpr uint64_t kStacks = 100;  // of each column
  std::vector<size_t> columns;
  for (size_t i = 0; i < kColumns; ++i) {
    columns.push_back(Column(std::to_string(i).c_str()));
    for (uint64_t k = 0; k < kStacks; ++k) {
      Add({i, k}, 0, {columns[i]}, {static_cast<int64_t>(i + k + 1)});
    }
  }
  // With a value of each stack and column: 200 MB.
  EXPECT_LE(sums_.memory(), uint64_t{16} << 20);
  for (size_t i = 0; i < kColumns; i += 99) {
    std::vector<int64_t> expected(kColumns * kStacks);
    std::iota(expected.begin() + static_cast<ptrdiff_t>(i * kStacks),
              expected.begin() + static_cast<ptrdiff_t>((i + 1) * kStacks),
              static_cast<int64_t>(i + 1));
    EXPECT_EQ(Values(columns[i]), expected) << i;
  }
}

TEST_F(StackSumsTest, StacksThatBecomeEqualAreAddedUp) {
  const size_t cpu = Column("cpu"), space = Column("space");
  Add({0, 1}, 0, {cpu, space}, {1, 10});
  Add({2, 1}, 0, {cpu, space}, {2, 20});
  Add({2, 1}, 7, {cpu, space}, {4, 40});
  sums_.ReplaceLocations(std::vector<uint32_t>{0, 1, 2});
  EXPECT_THAT(Values(cpu), ElementsAre(1, 2, 4));
  sums_.ReplaceLocations(std::vector<uint32_t>{0, 1, 0});
  EXPECT_THAT(Values(cpu), ElementsAre(3, 4));
  EXPECT_THAT(Values(space), ElementsAre(30, 40));
  EXPECT_EQ(sums_.stacks().address_space(1), 7u);
}

}  // namespace
}  // namespace perf2x
