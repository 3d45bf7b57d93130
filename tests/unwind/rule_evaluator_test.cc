// SPDX-License-Identifier: Apache-2.0
#include "converter/unwind/rule_evaluator.h"

#include <dwarf.h>
#include <gtest/gtest.h>

#include <vector>

namespace perf2x {
namespace {

// A stack of three words at 0x1000, with register 7 (rsp) at its start.
class RuleEvaluatorTest : public testing::Test {
 protected:
  RuleEvaluatorTest() {
    values_.BeginStack(rules_);
    registers_.Set(7, 0x1000);
  }
  std::optional<uint64_t> Value(RegisterRule::Kind kind, int32_t value) {
    const RegisterRule rule{.reg = 3, .kind = kind, .value = value};
    uint64_t result = 0;
    return values_.ValueOf(rule, /*cfa=*/0x1010, registers_, &memory_, &result)
               ? std::optional<uint64_t>(result)
               : std::nullopt;
  }
  int32_t Expression(std::vector<uint8_t> bytes) {
    return rules_.InternExpression(bytes);
  }

  const Machine& machine_ = *FindMachine("x86_64");
  RuleTable rules_;
  RuleEvaluator values_{machine_};
  const std::vector<uint8_t> stack_ = {11, 0, 0, 0, 0, 0, 0, 0,  //
                                       22, 0, 0, 0, 0, 0, 0, 0,  //
                                       33, 0, 0, 0, 0, 0, 0, 0};
  const UserStackDump dump_{0x1000, stack_};
  Registers registers_;
  static bool NothingMapped(uint64_t, CodeLocation*) { return false; }
  ProcessMemory memory_{machine_, dump_, NothingMapped, /*code=*/nullptr};
};

TEST_F(RuleEvaluatorTest, EveryKindOfRule) {
  EXPECT_EQ(Value(RegisterRule::kAtCfa, -8), 22u);
  EXPECT_EQ(Value(RegisterRule::kCfaPlus, 16), 0x1020u);
  EXPECT_EQ(Value(RegisterRule::kRegister, 7), 0x1000u);
  EXPECT_EQ(Value(RegisterRule::kExpression, Expression({DW_OP_lit5})), 5u);
  // The CFA is on the stack of the expression at first.
  EXPECT_EQ(Value(RegisterRule::kAtExpression, Expression({DW_OP_nop})), 33u);
}

TEST_F(RuleEvaluatorTest, WhatIsNotKnownHasNoValue) {
  EXPECT_EQ(Value(RegisterRule::kUndefined, 0), std::nullopt);
  EXPECT_EQ(Value(RegisterRule::kAtCfa, 64), std::nullopt);
  EXPECT_EQ(Value(RegisterRule::kRegister, 6), std::nullopt);
  EXPECT_EQ(Value(RegisterRule::kExpression, Expression({})), 0x1010u);
  EXPECT_EQ(Value(RegisterRule::kExpression, Expression({DW_OP_deref, 0xff})),
            std::nullopt);
}

TEST_F(RuleEvaluatorTest, TheFrameAddressIsOfARegisterOrAnExpression) {
  FrameRule rule;
  rule.cfa_register = 7;
  rule.cfa_value = 16;
  EXPECT_EQ(values_.Cfa(rule, registers_, &memory_), 0x1010u);
  rule.cfa_register = 6;
  EXPECT_EQ(values_.Cfa(rule, registers_, &memory_), std::nullopt);
  rule.cfa_register = kNoRegister;
  rule.cfa_value = Expression({DW_OP_breg7, 8, DW_OP_deref});
  EXPECT_EQ(values_.Cfa(rule, registers_, &memory_), 22u);
}

TEST_F(RuleEvaluatorTest, OperationsAreCountedForEachStack) {
  const int32_t two = Expression({DW_OP_lit5, DW_OP_dup});
  Value(RegisterRule::kExpression, two);
  Value(RegisterRule::kExpression, two);
  EXPECT_EQ(values_.operations(), 4u);
  values_.BeginStack(rules_);
  EXPECT_EQ(values_.operations(), 0u);
  // An endless loop, over and over: a stack ends at some operations.
  const int32_t loop = Expression({DW_OP_skip, 0xfd, 0xff});
  for (int i = 0; i < 1000; ++i) Value(RegisterRule::kExpression, loop);
  EXPECT_EQ(values_.operations(), 1u << 16);
  EXPECT_EQ(Value(RegisterRule::kExpression, two), std::nullopt);
}

}  // namespace
}  // namespace perf2x
