// SPDX-License-Identifier: Apache-2.0
#include <dwarf.h>

#include "converter/unwind/cfi_program.h"
#include "converter/unwind/cfi_table.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unwind/unwinder_fixture.h"

namespace perf2x {
namespace {

constexpr uint64_t kSection = 0x3000;
constexpr uint32_t kLength = 0x100;  // of the function

absl::Span<const uint8_t> SpanOf(const std::string& s) {
  return {reinterpret_cast<const uint8_t*>(s.data()), s.size()};
}

// def_cfa rsp+8; return address at CFA-8.
const std::string kInitial = Code({DW_CFA_def_cfa, 7, 8, 0x80 | 16, 1});

class CfiTest : public testing::Test {
 protected:
  // What the function's table says for `offset` bytes into it.
  std::optional<RuleRange> Run(const std::string& program, uint64_t offset,
                               const std::string& initial = kInitial,
                               uint8_t return_register = 16) {
    const std::string section =
        TestEhFrame(machine_, kSection, return_register, initial, kFunction,
                    kLength, program);
    CfiTable table(CfiTable::kEhFrame,
                   {SpanOf(section), kSection, machine_.order, 8}, {});
    const auto entry = table.Find(kFunction + offset);
    if (!entry.has_value()) return std::nullopt;
    return RunCfi(*entry, kFunction + offset, machine_, machine_.order,
                  &rules_);
  }
  // The rule of one register in words.
  std::string Show(RuleId id, uint8_t reg) {
    for (const RegisterRule& r : rules_.registers(rules_.rule(id))) {
      if (r.reg != reg) continue;
      static const char* const kKinds[] = {"undefined",     "at cfa",
                                           "cfa",           "register",
                                           "at expression", "expression"};
      return std::string(kKinds[r.kind]) + " " + std::to_string(r.value);
    }
    return "same";
  }
  const Machine& machine_ = *MachineOf("x86_64", 2);
  RuleTable rules_;
};

TEST_F(CfiTest, FollowsPrologue) {
  const std::string program =
      Code({0x41, DW_CFA_def_cfa_offset, 16, 0x80 | 6, 2,  // push rbp
            0x43, DW_CFA_def_cfa_register, 6});            // mov rsp, rbp
  const auto entry = Run(program, 0);
  ASSERT_TRUE(entry.has_value());
  EXPECT_EQ(entry->start, kFunction);
  EXPECT_EQ(entry->end, kFunction + 1);
  EXPECT_EQ(rules_.rule(entry->rule).cfa_register, 7);
  EXPECT_EQ(rules_.rule(entry->rule).cfa_value, 8);
  EXPECT_EQ(Show(entry->rule, 16), "at cfa -8");
  EXPECT_EQ(Show(entry->rule, 7), "cfa 0");
  EXPECT_EQ(Show(entry->rule, 6), "same");

  const auto pushed = Run(program, 2);
  EXPECT_EQ(pushed->start, kFunction + 1);
  EXPECT_EQ(pushed->end, kFunction + 4);
  EXPECT_EQ(rules_.rule(pushed->rule).cfa_value, 16);
  EXPECT_EQ(Show(pushed->rule, 6), "at cfa -16");

  const auto body = Run(program, kLength - 1);
  EXPECT_EQ(body->start, kFunction + 4);
  EXPECT_EQ(body->end, kFunction + kLength);
  EXPECT_EQ(rules_.rule(body->rule).cfa_register, 6);
  EXPECT_FALSE(Run(program, kLength).has_value());
}

// An epilogue in the middle: the row behind it begins there, not where the
// remembered one did.
TEST_F(CfiTest, RestoredRowBeginsBehindTheEpilogue) {
  const std::string program =
      Code({0x44, DW_CFA_def_cfa_offset, 32, 0x44, DW_CFA_remember_state,
            DW_CFA_def_cfa_offset, 8, 0x44, DW_CFA_restore_state});
  EXPECT_EQ(rules_.rule(Run(program, 5)->rule).cfa_value, 32);
  EXPECT_EQ(rules_.rule(Run(program, 9)->rule).cfa_value, 8);
  const auto behind = Run(program, 20);
  EXPECT_EQ(rules_.rule(behind->rule).cfa_value, 32);
  EXPECT_EQ(behind->start, kFunction + 12);
}

TEST_F(CfiTest, KnowsAllRules) {
  const std::string program = Code({DW_CFA_offset_extended_sf,
                                    3,
                                    0x7e,
                                    DW_CFA_val_offset,
                                    12,
                                    3,
                                    DW_CFA_register,
                                    13,
                                    8,
                                    DW_CFA_undefined,
                                    14,
                                    DW_CFA_expression,
                                    15,
                                    1,
                                    DW_OP_lit5,
                                    DW_CFA_val_expression,
                                    5,
                                    1,
                                    DW_OP_lit6,
                                    DW_CFA_offset | 4,
                                    2,
                                    DW_CFA_restore | 4,
                                    DW_CFA_GNU_args_size,
                                    8,
                                    DW_CFA_undefined,
                                    2,
                                    DW_CFA_same_value,
                                    2,
                                    DW_CFA_offset_extended,
                                    77,
                                    1});
  const auto row = Run(program, 0);
  ASSERT_TRUE(row.has_value());
  EXPECT_EQ(Show(row->rule, 3), "at cfa 16");
  EXPECT_EQ(Show(row->rule, 12), "cfa -24");
  EXPECT_EQ(Show(row->rule, 13), "register 8");
  EXPECT_EQ(Show(row->rule, 14), "undefined 0");
  EXPECT_EQ(Show(row->rule, 15), "at expression 0");
  EXPECT_EQ(Show(row->rule, 5), "expression 1");
  EXPECT_EQ(Show(row->rule, 4), "same");
  EXPECT_EQ(Show(row->rule, 2), "same");
  EXPECT_THAT(rules_.expression(1), testing::ElementsAre(DW_OP_lit6));
}

// Vector registers have numbers from 33 on. None of them is tracked.
TEST_F(CfiTest, RestoringAnUntrackedRegisterKeepsTheOthers) {
  for (const char* arch : {"x86_64", "aarch64"}) {
    const Machine& machine = *MachineOf(arch, 2);
    const uint8_t return_register =
        machine.link != kNoRegister ? machine.link : machine.pc;
    std::string saved = Code({DW_CFA_def_cfa, machine.sp, 64});
    for (int reg = 0; reg < machine.tracked_registers; ++reg) {
      saved += Code({DW_CFA_offset | reg, reg + 1});
    }
    for (int restored = machine.tracked_registers; restored < 64; ++restored) {
      const std::string section = TestEhFrame(
          machine, kSection, return_register, Code({DW_CFA_nop}), kFunction,
          kLength, saved + Code({DW_CFA_restore | restored}));
      CfiTable table(CfiTable::kEhFrame,
                     {SpanOf(section), kSection, machine.order, 8}, {});
      const auto row = RunCfi(*table.Find(kFunction), kFunction, machine,
                              machine.order, &rules_);
      ASSERT_TRUE(row.has_value());
      for (int reg = 0; reg < machine.tracked_registers; ++reg) {
        EXPECT_EQ(Show(row->rule, static_cast<uint8_t>(reg)),
                  "at cfa " + std::to_string(-8 * (reg + 1)))
            << arch << ": " << reg << " after restoring " << restored;
      }
    }
  }
}

TEST_F(CfiTest, SameRowsAreOneRule) {
  const auto a = Run(Code({0x41, DW_CFA_def_cfa_offset, 16}), 1);
  const auto b = Run(Code({0x48, DW_CFA_def_cfa_offset, 16}), 9);
  EXPECT_EQ(a->rule, b->rule);
  EXPECT_EQ(rules_.size(), 1);
}

TEST_F(CfiTest, TellsHowFarBelowTheCfaRegistersAreSaved) {
  const auto saved_below = [this](const std::string& program) {
    return rules_.rule(Run(program, kLength - 1)->rule).saved_below;
  };
  EXPECT_EQ(saved_below(""), 8u);
  EXPECT_EQ(saved_below(Code({0x80 | 6, 2, 0x80 | 3, 5})), 40u);
  // Not saved, saved above, elsewhere, or no return address.
  EXPECT_EQ(saved_below(Code({DW_CFA_undefined, 3})), 0u);
  EXPECT_EQ(saved_below(Code({DW_CFA_offset_extended_sf, 3, 0x7f})), 0u);
  EXPECT_EQ(saved_below(Code({DW_CFA_register, 3, 6})), 0u);
  EXPECT_EQ(saved_below(Code({DW_CFA_expression, 3, 1, DW_OP_lit0})), 0u);
  EXPECT_EQ(saved_below(Code({DW_CFA_same_value, 16, 0x80 | 6, 2})), 0u);
  EXPECT_EQ(saved_below(Code({DW_CFA_def_cfa_expression, 1, DW_OP_lit0})), 0u);
}

TEST_F(CfiTest, RejectsBrokenPrograms) {
  EXPECT_FALSE(Run(Code({DW_CFA_restore_state}), 0).has_value());
  EXPECT_FALSE(Run(Code({0x3f}), 0).has_value());  // unknown
  EXPECT_FALSE(Run(Code({DW_CFA_def_cfa, 7}), 0).has_value());
  EXPECT_FALSE(Run(Code({DW_CFA_def_cfa_expression, 9, 1}), 0).has_value());
  EXPECT_FALSE(Run("", 0, "").has_value());             // no CFA
  EXPECT_FALSE(Run("", 0, kInitial, 200).has_value());  // no such register
  EXPECT_FALSE(Run(std::string(40, DW_CFA_remember_state), 0).has_value());
  // A register number that would need gigabytes in a table of all of them.
  const auto huge = Run(Code({DW_CFA_undefined, 0xff, 0xff, 0xff, 0x7f}), 0);
  EXPECT_TRUE(huge.has_value());
}

TEST_F(CfiTest, SearchTableLeadsToFunction) {
  const std::string section =
      TestEhFrame(machine_, kSection, 16, kInitial, kFunction, kLength, "");
  const uint32_t common_size = Load<uint32_t>(
      reinterpret_cast<const uint8_t*>(section.data()), ByteOrder::kLittle);
  constexpr uint64_t kHeader = 0x2000;
  Bytes header;
  header.U8(1).U8(0x1b).U8(0x03).U8(0x3b);
  header.U32(static_cast<uint32_t>(kSection - (kHeader + 4))).U32(1);
  header.U32(static_cast<uint32_t>(kFunction - kHeader));
  header.U32(static_cast<uint32_t>(kSection + common_size + 4 - kHeader));
  CfiTable table(CfiTable::kEhFrame,
                 {SpanOf(section), kSection, ByteOrder::kLittle, 8},
                 {SpanOf(header.str()), kHeader, ByteOrder::kLittle, 8});
  EXPECT_TRUE(table.Find(kFunction).has_value());
  EXPECT_TRUE(table.Find(kFunction + kLength - 1).has_value());
  EXPECT_FALSE(table.Find(kFunction + kLength).has_value());
  EXPECT_FALSE(table.Find(kFunction - 1).has_value());
}

// .debug_frame has absolute addresses and counts common entries from its start;
// here of version 4.
TEST_F(CfiTest, ReadsDebugFrame) {
  Bytes common;
  common.U32(0xffffffff).U8(4).U8(0).U8(8).U8(0).U8(1).U8(0x78).U8(16);
  common.Add(kInitial);
  Bytes function;
  function.U32(0).U64(kFunction).U64(kLength);
  Bytes section;
  section.Sized(common.str()).Sized(function.str());
  CfiTable table(CfiTable::kDebugFrame,
                 {SpanOf(section.str()), 0, ByteOrder::kLittle, 8}, {});
  const auto entry = table.Find(kFunction + 1);
  ASSERT_TRUE(entry.has_value());
  EXPECT_EQ(entry->start, kFunction);
  EXPECT_EQ(entry->end, kFunction + kLength);
  const auto row =
      RunCfi(*entry, kFunction + 1, machine_, ByteOrder::kLittle, &rules_);
  ASSERT_TRUE(row.has_value());
  EXPECT_EQ(rules_.rule(row->rule).cfa_value, 8);
}

// Every cut and every flipped byte: no crash, no endless loop.
TEST_F(CfiTest, SurvivesDamage) {
  const std::string whole = TestEhFrame(
      machine_, kSection, 16, kInitial, kFunction, kLength,
      Code({0x41, DW_CFA_def_cfa_offset, 16, DW_CFA_remember_state,
            DW_CFA_expression, 3, 2, DW_OP_lit1, DW_OP_lit2, 0x41,
            DW_CFA_restore_state, DW_CFA_advance_loc4, 1, 0, 0, 0}));
  int found = 0;
  auto look = [&](const std::string& section) {
    CfiTable table(CfiTable::kEhFrame,
                   {SpanOf(section), kSection, ByteOrder::kLittle, 8}, {});
    for (uint64_t at : {kFunction, kFunction + 1, kFunction + 2}) {
      const auto entry = table.Find(at);
      if (!entry.has_value()) continue;
      RunCfi(*entry, at, machine_, ByteOrder::kLittle, &rules_);
      ++found;
    }
  };
  for (size_t cut = 0; cut <= whole.size(); ++cut) look(whole.substr(0, cut));
  for (size_t i = 0; i < whole.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = whole;
      damaged[i] = static_cast<char>(damaged[i] ^ (1 << bit));
      look(damaged);
    }
  }
  EXPECT_GT(found, 0);
}

}  // namespace
}  // namespace perf2x
