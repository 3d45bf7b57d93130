// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/pprof/pprof_stack_rows.h"

#include <gtest/gtest.h>

#include <vector>

namespace perf2x {
namespace {

TEST(StackRowsTest, OrdersRowsByLabelsAndSkipsEmptyOnes) {
  Pipeline pipeline(1);
  SampleRows rows(pipeline);
  constexpr StackId kStack = 3;
  const auto add = [&](LabelSetId labels, EventId event, int samples) {
    for (int i = 0; i < samples; ++i) rows.Add({kStack, labels, event}, 0, 1);
  };
  add(5, 0, 1);
  add(2, 1, 2);
  add(5, 1, 3);
  add(2, 0, 4);
  add(4, 0, 5);
  rows.Finish();
  // Merged into another stack.
  for (uint32_t i = rows.first(kStack); i != kNoId; i = rows[i].next) {
    if (rows[i].labels == 4) rows[i].count = 0;
  }
  StackRows of_stack(rows);
  of_stack.Load(kStack);
  ASSERT_EQ(of_stack.size(), 4u);
  std::vector<uint64_t> counts;
  for (size_t i = 0; i < of_stack.size(); ++i) {
    counts.push_back(of_stack[i].count);
  }
  // Rows of equal labels in their order of arrival.
  EXPECT_EQ(counts, (std::vector<uint64_t>{2, 4, 1, 3}));
  EXPECT_EQ(of_stack.EndOfLabels(0), 2u);
  EXPECT_EQ(of_stack.EndOfLabels(2), 4u);

  of_stack.Load(kStack - 1);
  EXPECT_TRUE(of_stack.empty());
}

}  // namespace
}  // namespace perf2x
