// SPDX-License-Identifier: Apache-2.0
#include "converter/session/offcpu_sample.h"

#include <gtest/gtest.h>

#include "tests/support/wire.h"

namespace perf2x {
namespace {

TEST(OffCpuSampleTest, TheSleepIsInTheRawData) {
  for (const ByteOrder order : {ByteOrder::kLittle, ByteOrder::kBig}) {
    const std::vector<uint8_t> raw = Wire(order,
                                          "00000007 00000008 "  // pid, tid
                                          "0000000000000064 "   // period
                                          "0000000000000002 "   // nr
                                          "fffffffffffffe00 0000000000401000 "
                                          "0000000000000001");  // cgroup
    SampleRecord sample;
    sample.time = 5;
    sample.raw = raw;
    ASSERT_TRUE(HoldsOffCpuData(sample));
    const auto sleep = DecodeOffCpuSample(sample, order);
    ASSERT_TRUE(sleep.has_value());
    EXPECT_EQ(sleep->pid, 7);
    EXPECT_EQ(sleep->tid, 8);
    EXPECT_EQ(sleep->period, 100u);
    EXPECT_EQ(sleep->ips.size(), 2u);
    EXPECT_EQ(sleep->ip, 0x401000u);
    EXPECT_EQ(sleep->time, 5u);
    sample.raw = sample.raw.subspan(0, 32);
    EXPECT_FALSE(DecodeOffCpuSample(sample, order).has_value());
    sample.raw = sample.raw.subspan(0, 23);
    EXPECT_FALSE(HoldsOffCpuData(sample));
  }
}

}  // namespace
}  // namespace perf2x
