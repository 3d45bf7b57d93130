// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/waiting_words.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "converter/model/stack_table.h"

namespace perf2x {
namespace {

// As many samples later a stack is looked at.
constexpr int kLater = 16;

class WaitingWordsTest : public testing::Test {
 protected:
  StackId StackOf(size_t words) {
    const std::vector<uint64_t> chain(words, 0x1000 + words);
    const absl::Span<const uint8_t> bytes(
        reinterpret_cast<const uint8_t*>(chain.data()), words * 8);
    return stacks_.Intern(StackTable::HashOf(0, bytes), 0, bytes,
                          /*stable=*/false);
  }

  StackTable stacks_;
  WaitingWords words_{stacks_};
};

TEST_F(WaitingWordsTest, CountsEachStackSomeSamplesLater) {
  const StackId a = StackOf(5), b = StackOf(7);
  words_.Add(a);
  for (int i = 1; i < kLater; ++i) {
    words_.Add(b);
    EXPECT_EQ(words_.words(), 0u);
  }
  words_.Add(b);
  EXPECT_EQ(words_.words(), 5u);
  words_.Add(b);
  EXPECT_EQ(words_.words(), 12u);
}

TEST_F(WaitingWordsTest, StacksThatWaitAreCountedAfterClear) {
  const StackId stack = StackOf(5);
  for (int i = 0; i < kLater; ++i) words_.Add(stack);
  words_.Clear();
  words_.Add(stack);
  EXPECT_EQ(words_.words(), 5u);
}

TEST_F(WaitingWordsTest, FreedStacksHaveNone) {
  const StackId stack = StackOf(5);
  words_.Add(stack);
  stacks_.FreeAll();
  const StackId later = StackOf(3);
  for (int i = 0; i < kLater; ++i) words_.Add(later);
  EXPECT_EQ(words_.words(), 0u);
  words_.Add(later);
  EXPECT_EQ(words_.words(), 3u);
}

}  // namespace
}  // namespace perf2x
