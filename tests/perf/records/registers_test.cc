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
  EXPECT_EQ(RegisterName("i686", kAbi32, 63), "XMM15_high");
}

TEST(RegistersTest, NumbersOfOtherMachines) {
  for (uint64_t abi : {uint64_t{kAbi64}, kAbi64 | kAbiSimd}) {
    EXPECT_EQ(RegisterName("aarch64", abi, 0), "X0");
    EXPECT_EQ(RegisterName("aarch64", abi, 28), "X28");
    EXPECT_EQ(RegisterName("aarch64", abi, 29), "FP");
    EXPECT_EQ(RegisterName("aarch64", abi, 32), "PC");
    EXPECT_EQ(RegisterName("aarch64", abi, 33), "r33");
    EXPECT_EQ(RegisterName("aarch64", abi, 46), "VG");
    EXPECT_EQ(RegisterName("aarch64", abi, 47), "r47");
  }
  EXPECT_EQ(RegisterName("armv7l", kAbi32, 12), "IP");
  EXPECT_EQ(RegisterName("armv7l", kAbi32, 16), "r16");
  EXPECT_EQ(RegisterName("s390x", kAbi64, 15), "R15");
  EXPECT_EQ(RegisterName("s390x", kAbi64, 16), "F0");
  EXPECT_EQ(RegisterName("s390x", kAbi64, 31), "F15");
  EXPECT_EQ(RegisterName("s390x", kAbi64, 32), "MASK");
  EXPECT_EQ(RegisterName("s390x", kAbi64, 33), "PC");
  EXPECT_EQ(RegisterName("vax", kAbi32, 3), "r3");
}

}  // namespace
}  // namespace perf2x
