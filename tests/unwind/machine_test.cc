// SPDX-License-Identifier: Apache-2.0
#include "converter/unwind/machine.h"

#include "gtest/gtest.h"
#include "tests/unwind/test_elf.h"

namespace perf2x {
namespace {

TEST(MachineTest, TakesRegistersByMask) {
  const Machine& machine = *MachineOf("x86_64", 2);
  Bytes words;
  words.U64(1).U64(2).U64(3);
  const WordSpan values(reinterpret_cast<const uint8_t*>(words.str().data()), 3,
                        ByteOrder::kLittle);
  // CX, SP, R9; and one more that was promised.
  const Registers r(machine, 1 << 2 | 1 << 7 | 1 << 17 | 1 << 18, values);
  EXPECT_EQ(r[2], 1);
  EXPECT_EQ(r[7], 2);
  EXPECT_EQ(r[9], 3);
  EXPECT_FALSE(r.known(10));
  EXPECT_FALSE(r.pc.has_value());
  EXPECT_EQ(MachineOf("x86_64", 0), nullptr);
  EXPECT_EQ(MachineOf("x86_64", 3), nullptr);
  EXPECT_EQ(MachineOf("s390x", 1), nullptr);
  EXPECT_EQ(MachineOf("sparc", 2), nullptr);
  // What a 32-bit perf says of 64-bit tasks.
  EXPECT_EQ(MachineOf("i686", 2), MachineOf("x86_64", 2));
  EXPECT_EQ(MachineOf("armv8l", 2), MachineOf("aarch64", 2));
}

}  // namespace
}  // namespace perf2x
