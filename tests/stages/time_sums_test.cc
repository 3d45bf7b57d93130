// SPDX-License-Identifier: Apache-2.0
#include "converter/stages/time_sums.h"

#include <gtest/gtest.h>

#include <vector>

namespace perf2x {
namespace {

TimeSums::Key KeyOf(ThreadId thread, TimeState state, TagsId tags = 1,
                    StackId stack = kNoId, uint32_t marks = kNoId) {
  TimeSums::Key key;
  key.thread = thread;
  key.state = state;
  key.tags = tags;
  key.stack = stack;
  key.marks = marks;
  return key;
}

TEST(TimeSumsTest, FindsSumsByTheWholeKey) {
  constexpr TimeState kRunning = TimeState::kRunning;
  constexpr TimeState kUnknown = TimeState::kUnknown;
  const std::vector<TimeSums::Key> keys = {
      KeyOf(3, kRunning),          KeyOf(4, kRunning),
      KeyOf(3, kUnknown),          KeyOf(3, kRunning, 2),
      KeyOf(3, kRunning, 1, 0),    KeyOf(3, kRunning, 1, 5),
      KeyOf(3, kRunning, 1, 5, 0), KeyOf(3, kRunning, 1, kNoId, 0)};
  TimeSums sums;
  for (size_t i = 0; i < keys.size(); ++i) {
    for (size_t j = 0; j < keys.size(); ++j) {
      const TimeSums::Sum* sum = sums.Find(keys[j]);
      ASSERT_EQ(sum != nullptr, j < i) << i << " " << j;
      if (sum == nullptr) continue;
      EXPECT_EQ(sum->count, j);
    }
    sums.Add(keys[i]).count = i;
  }
  // The latest of a thread and state, and others.
  for (size_t i = keys.size(); i-- > 0;) {
    EXPECT_EQ(sums.Find(keys[i])->count, i);
    EXPECT_EQ(sums.Find(keys[i])->count, i);
  }
}

TEST(TimeSumsTest, KeepsTheOrderOfAdding) {
  TimeSums sums;
  for (ThreadId thread = 100; thread-- > 0;) {
    sums.Add(KeyOf(thread, TimeState::kUnknown));
  }
  ASSERT_EQ(sums.sums().size(), 100u);
  EXPECT_EQ(sums.sums()[0].key.thread, 99u);
  EXPECT_EQ(sums.sums()[99].key.thread, 0u);
  EXPECT_GE(sums.memory(), 100 * sizeof(TimeSums::Sum));
}

}  // namespace
}  // namespace perf2x
