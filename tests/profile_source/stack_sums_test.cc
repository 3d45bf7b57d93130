// SPDX-License-Identifier: Apache-2.0
#include "converter/profile_source/stack_sums.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
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

// The values of a new column are charged before they are allocated.
TEST_F(StackSumsTest, MemoryHasTheValuesOfAColumnBeforeItIsFilled) {
  const size_t cpu = Column("cpu");
  constexpr uint64_t kStacks = 1000;
  for (uint64_t i = 0; i < kStacks; ++i) Add({i}, 0, {cpu}, {1});
  const uint64_t before = sums_.memory();
  sums_.ColumnOf({.type = "space", .unit = "bytes"});
  const uint64_t after = sums_.memory();
  EXPECT_GE(after - before, kStacks * sizeof(int64_t));
  sums_.FillColumns();
  EXPECT_EQ(sums_.memory(), after);
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
