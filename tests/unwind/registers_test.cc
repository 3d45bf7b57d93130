// SPDX-License-Identifier: Apache-2.0
#include "converter/unwind/registers.h"

#include "gtest/gtest.h"
#include "tests/unwind/test_elf.h"

namespace perf2x {
namespace {

TEST(RegistersTest, TakesRegistersByMask) {
  const Machine& machine = *MachineOf("x86_64", 2);
  Bytes words;
  words.U64(1).U64(2).U64(3).U64(4);
  const WordSpan values(reinterpret_cast<const uint8_t*>(words.str().data()), 4,
                        ByteOrder::kLittle);
  // CX, SP, R9, XMM15; and one more that was promised.
  const Registers r(machine, 1 << 2 | 1 << 7 | 1 << 17 | uint64_t{3} << 62,
                    values);
  EXPECT_EQ(r[2], 1);
  EXPECT_EQ(r[7], 2);
  EXPECT_EQ(r[9], 3);
  EXPECT_FALSE(r.known(10));
  EXPECT_FALSE(r.pc.has_value());
}

}  // namespace
}  // namespace perf2x
