// SPDX-License-Identifier: Apache-2.0
#include "converter/unwind/expression.h"

#include <dwarf.h>

#include "gtest/gtest.h"

namespace perf2x {
namespace {

class ExpressionTest : public testing::Test {
 protected:
  std::optional<uint64_t> Run(std::vector<uint8_t> code,
                              std::optional<uint64_t> cfa = {}) {
    auto read = [](uint64_t address, int size, uint64_t* value) {
      *value = address + static_cast<uint64_t>(size);
      return address < 0x1000;
    };
    return Evaluate(code, *machine_, registers_, read, cfa, &operations_left_);
  }
  const Machine* machine_ = MachineOf("x86_64", 2);
  Registers registers_;
  uint32_t operations_left_ = 1000;
};

// CFA of a PLT entry as GNU ld writes it: one word more behind its push.
TEST_F(ExpressionTest, FindsFrameOfPltEntry) {
  const std::vector<uint8_t> plt = {
      DW_OP_breg7, 8,        DW_OP_breg16, 0,         DW_OP_lit15, DW_OP_and,
      DW_OP_lit11, DW_OP_ge, DW_OP_lit3,   DW_OP_shl, DW_OP_plus};
  registers_.Set(7, 0x7000);
  registers_.Set(16, 0x401026);
  EXPECT_EQ(Run(plt), 0x7008);
  registers_.Set(16, 0x40102b);
  EXPECT_EQ(Run(plt), 0x7010);
}

// All expressions of a stack share a number of operations.
TEST_F(ExpressionTest, TakesNoMoreOperationsThanAreLeft) {
  operations_left_ = 5;
  EXPECT_EQ(Run({DW_OP_lit7, DW_OP_lit2, DW_OP_minus}), 5);
  EXPECT_EQ(operations_left_, 2u);
  EXPECT_EQ(Run({DW_OP_lit7, DW_OP_lit2, DW_OP_minus}), std::nullopt);
  EXPECT_EQ(operations_left_, 0u);
  EXPECT_EQ(Run({DW_OP_lit7}), std::nullopt);
}

TEST_F(ExpressionTest, ReadsMemory) {
  EXPECT_EQ(Run({DW_OP_const2u, 0x00, 0x01, DW_OP_deref}), 0x108);
  EXPECT_EQ(Run({DW_OP_const2u, 0x00, 0x01, DW_OP_deref_size, 4}), 0x104);
  EXPECT_EQ(Run({DW_OP_const2u, 0x00, 0x20, DW_OP_deref}), std::nullopt);
  EXPECT_EQ(Run({DW_OP_lit1, DW_OP_deref_size, 3}), std::nullopt);
}

TEST_F(ExpressionTest, Computes) {
  EXPECT_EQ(Run({DW_OP_lit7, DW_OP_lit2, DW_OP_minus}), 5);
  EXPECT_EQ(Run({DW_OP_const1s, 0xf9, DW_OP_lit2, DW_OP_div}), uint64_t(-3));
  EXPECT_EQ(Run({DW_OP_lit7, DW_OP_lit4, DW_OP_mod}), 3);
  EXPECT_EQ(Run({DW_OP_const1s, 0x80, DW_OP_lit3, DW_OP_shra}), uint64_t(-16));
  EXPECT_EQ(Run({DW_OP_lit1, DW_OP_const1u, 64, DW_OP_shl}), 0);
  EXPECT_EQ(Run({DW_OP_lit1, DW_OP_lit2, DW_OP_lit3, DW_OP_rot, DW_OP_drop,
                 DW_OP_minus}),
            2u);
  EXPECT_EQ(Run({DW_OP_lit1, DW_OP_lit2, DW_OP_over, DW_OP_swap, DW_OP_pick, 2,
                 DW_OP_plus}),
            3u);
  EXPECT_EQ(Run({DW_OP_lit3, DW_OP_neg, DW_OP_abs}), 3u);
  EXPECT_EQ(Run({DW_OP_plus_uconst, 0x90, 0x01}, 0x1000), 0x1090u);
  EXPECT_EQ(Run({DW_OP_call_frame_cfa, DW_OP_plus}, 0x1000), 0x2000u);
}

TEST_F(ExpressionTest, Branches) {
  // Over a push, and back into nothing.
  EXPECT_EQ(Run({DW_OP_lit5, DW_OP_skip, 1, 0, DW_OP_lit9}), 5);
  EXPECT_EQ(Run({DW_OP_lit5, DW_OP_lit0, DW_OP_bra, 1, 0, DW_OP_lit9}), 9);
  EXPECT_EQ(Run({DW_OP_lit5, DW_OP_skip, 0x70, 0}), std::nullopt);
  EXPECT_EQ(Run({DW_OP_lit5, DW_OP_skip, 0, 0x80}), std::nullopt);
}

TEST_F(ExpressionTest, EndsAlways) {
  // A loop, a stack that overflows and one that underflows.
  EXPECT_EQ(Run({DW_OP_lit1, DW_OP_skip, 0xfc, 0xff}), std::nullopt);
  EXPECT_EQ(Run({DW_OP_nop, DW_OP_skip, 0xfc, 0xff}), std::nullopt);
  EXPECT_EQ(Run({DW_OP_plus}), std::nullopt);
  EXPECT_EQ(Run({}), std::nullopt);
  EXPECT_EQ(Run({DW_OP_lit1, DW_OP_lit0, DW_OP_div}), std::nullopt);
  EXPECT_EQ(Run({DW_OP_lit1, DW_OP_lit0, DW_OP_mod}), std::nullopt);
}

TEST_F(ExpressionTest, RejectsWhatItCannotKnow) {
  EXPECT_EQ(Run({DW_OP_breg3, 0}), std::nullopt);  // register not recorded
  EXPECT_EQ(Run({DW_OP_bregx, 0xff, 0xff, 0x03, 0}), std::nullopt);
  EXPECT_EQ(Run({DW_OP_addr, 1, 2, 3, 4, 5, 6, 7, 8}), std::nullopt);
  EXPECT_EQ(Run({DW_OP_call_frame_cfa}), std::nullopt);
  EXPECT_EQ(Run({DW_OP_const8u, 1, 2}), std::nullopt);  // cut short
}

// The smallest number divided by -1 overflows in C.
TEST_F(ExpressionTest, DividesTheSmallestNumber) {
  EXPECT_EQ(Run({DW_OP_const8u, 0, 0, 0, 0, 0, 0, 0, 0x80, DW_OP_const1s, 0xff,
                 DW_OP_div}),
            uint64_t{1} << 63);
}

TEST_F(ExpressionTest, CutsToTheSizeOfAnAddress) {
  machine_ = MachineOf("i686", 1);
  EXPECT_EQ(Run({DW_OP_const1s, 0xff, DW_OP_lit2, DW_OP_plus}), 1);
  EXPECT_EQ(Run({DW_OP_const1s, 0xff, DW_OP_lit2, DW_OP_lt}), 1);
}

}  // namespace
}  // namespace perf2x
