// SPDX-License-Identifier: Apache-2.0
#include "converter/perf/records/registers.h"

#include <gtest/gtest.h>

#include "converter/perf/records/wire.h"

namespace perf2x {
namespace {

// enum perf_event_x86_regs: with SIMD registers in a block of their own, their
// numbers are those of the registers that APX and shadow stacks add.
TEST(RegistersTest, NumbersOfX86DependOnTheAbi) {
  EXPECT_EQ(RegisterName("x86_64", kAbi64, 8), "IP");
  EXPECT_EQ(RegisterName("x86_64", kAbi64, 23), "R15");
  EXPECT_EQ(RegisterName("x86_64", kAbi64, 24), "r24");
  EXPECT_EQ(RegisterName("x86_64", kAbi64, 32), "XMM0_low");
  EXPECT_EQ(RegisterName("x86_64", kAbi64, 41), "XMM4_high");
  EXPECT_EQ(RegisterName("x86_64", kAbi64 | kAbiSimd, 23), "R15");
  EXPECT_EQ(RegisterName("x86_64", kAbi64 | kAbiSimd, 24), "R16");
  EXPECT_EQ(RegisterName("x86_64", kAbi64 | kAbiSimd, 39), "R31");
  EXPECT_EQ(RegisterName("x86_64", kAbi64 | kAbiSimd, 40), "r40");
  EXPECT_EQ(RegisterName("x86_64", kAbi64 | kAbiSimd, 41), "SSP");
  EXPECT_EQ(RegisterName("aarch64", kAbi64 | kAbiSimd, 46), "VG");
}

}  // namespace
}  // namespace perf2x
