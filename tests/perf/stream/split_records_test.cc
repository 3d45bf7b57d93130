// SPDX-License-Identifier: Apache-2.0
#include "converter/perf/stream/split_records.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "converter/perf/records/wire.h"
#include "tests/support/wire.h"

namespace perf2x {
namespace {

TEST(SplitRecordsTest, JoinsSlices) {
  SplitRecords split;
  const auto order = ByteOrder::kLittle;
  split.Add(Wire(order, "00008001 0000"));
  split.Add(Wire(order, "000c 00000007"));
  const auto record = split.Take(order);
  ASSERT_TRUE(record.has_value());
  EXPECT_EQ(record->type, kRecordSimpleperfKernelSymbol);
  EXPECT_EQ(record->body, Wire(order, "00000007"));
  EXPECT_FALSE(split.Take(order).has_value());  // empty again
}

// Later slices do not close the gap that a dropped slice leaves.
TEST(SplitRecordsTest, DropsRecordsThatAreTooLarge) {
  const auto order = ByteOrder::kLittle;
  SplitRecords split;
  for (const bool is_too_large : {true, false}) {
    split.Add(Wire(order, "00008001 0000 000c"));
    if (is_too_large) split.Add(std::vector<uint8_t>(64 << 20));
    split.Add(Wire(order, "00000007"));
    EXPECT_EQ(split.Take(order).has_value(), !is_too_large);
  }
}

TEST(SplitRecordsTest, TakesNoOtherRecords) {
  const auto order = ByteOrder::kLittle;
  const auto take = [&](const char* wire) {
    SplitRecords split;
    split.Add(Wire(order, wire));
    return split.Take(order).has_value();
  };
  EXPECT_FALSE(take("00008001 0000"));                // no header
  EXPECT_FALSE(take("00008001 0000 0010 00000000"));  // another size
  EXPECT_FALSE(take("00008004 0000 000c 00000000"));  // SPLIT itself
  EXPECT_FALSE(take("00008005 0000 0008"));
  EXPECT_FALSE(take("00000009 0000 000c 00000000"));  // a kernel record
}

}  // namespace
}  // namespace perf2x
