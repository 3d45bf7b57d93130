// SPDX-License-Identifier: Apache-2.0
#include "converter/emit/number_log.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

namespace perf2x {
namespace {

TEST(NumberLogTest, ReadsWhatWasAdded) {
  uint64_t memory = 0;
  NumberLog log(&memory);
  const std::vector<uint64_t> unsigned_numbers = {
      0, 1, 127, 128, 1 << 14, std::numeric_limits<uint64_t>::max()};
  const std::vector<int64_t> signed_numbers = {
      0,
      -1,
      1,
      -64,
      std::numeric_limits<int64_t>::min(),
      std::numeric_limits<int64_t>::max()};
  constexpr int kRounds = 10'000;  // fills several chunks
  for (int round = 0; round < kRounds; ++round) {
    for (const uint64_t number : unsigned_numbers) log.Add(number);
    for (const int64_t number : signed_numbers) log.AddSigned(number);
  }
  // Twice: reading does not change the log.
  for (int time = 0; time < 2; ++time) {
    NumberLog::Reader reader(log);
    for (int round = 0; round < kRounds; ++round) {
      for (const uint64_t number : unsigned_numbers) {
        ASSERT_EQ(reader.Next(), number);
      }
      for (const int64_t number : signed_numbers) {
        ASSERT_EQ(reader.NextSigned(), number);
      }
    }
  }
}

TEST(NumberLogTest, CountsItsMemory) {
  uint64_t memory = 0;
  NumberLog small(&memory);
  EXPECT_EQ(memory, 0u);
  small.Add(1);
  EXPECT_GT(memory, 0u);
  EXPECT_LT(memory, 200u);
  NumberLog large(&memory);
  for (int i = 0; i < 1'000'000; ++i) large.Add(1);
  EXPECT_GT(memory, 1'000'000u);
  EXPECT_LT(memory, 1'100'000u);
}

}  // namespace
}  // namespace perf2x
