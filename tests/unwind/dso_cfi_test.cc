// SPDX-License-Identifier: Apache-2.0
#include "converter/unwind/dso_cfi.h"

#include <dwarf.h>

#include "gtest/gtest.h"
#include "tests/unwind/unwinder_fixture.h"

namespace perf2x {
namespace {

const Machine& kMachine = *MachineOf("x86_64", 2);

// One file, whose budget stays at hand.
class OneFile final : public UnwindInfoSource {
 public:
  explicit OneFile(std::string image) : image_(std::move(image)) {}
  std::shared_ptr<const ElfFile> OpenBinary(DsoId) override {
    auto elf = OpenElf(image_);
    budget = &elf->file()->budget();
    return elf;
  }
  std::shared_ptr<const ElfFile> OpenDebugFile(DsoId, const ElfFile&) override {
    return nullptr;
  }
  Budget* budget = nullptr;

 private:
  const std::string image_;
};

// A table may let the expression of each function be most of the table.
TEST(DsoCfiTest, ExpressionsAreMemoryOnce) {
  constexpr size_t kBytes = 10'000;
  std::string program = {DW_CFA_def_cfa_expression,
                         static_cast<char>(kBytes % 128 + 128),
                         static_cast<char>(kBytes / 128)};
  program += std::string(kBytes, DW_OP_nop);
  OneFile file(TestElf(
      kMachine,
      {{".eh_frame", 0x4000,
        TestEhFrame(kMachine, 0x4000, 16, std::string("\x90\x01", 2), kFunction,
                    0x100, program + std::string("\x50\x00", 2))}}));
  RuleTable rules;
  DsoCfi cfi(kMachine, 0, &file, &rules);
  const uint64_t before = file.budget->used(Budget::kMemory);
  EXPECT_NE(cfi.Find(kFunction), kNoRule);
  const uint64_t first = file.budget->used(Budget::kMemory);
  EXPECT_GE(first - before, kBytes);
  // The next row has the same expression.
  EXPECT_NE(cfi.Find(kFunction + 0x20), kNoRule);
  EXPECT_EQ(cfi.rows(), 2u);
  EXPECT_LT(file.budget->used(Budget::kMemory) - first, kBytes);
}

TEST(DsoCfiTest, CopiesOfRulesShareExpressions) {
  const std::vector<uint8_t> code(100, DW_OP_nop);
  RuleTable rules;
  const int32_t number = rules.InternExpression(code);
  EXPECT_EQ(rules.InternExpression(std::vector<uint8_t>(code)), number);
  EXPECT_NE(rules.InternExpression({}), number);
  EXPECT_GE(rules.memory(), code.size());
  const FrameRules copy(rules);
  EXPECT_EQ(copy.expression(number).data(), rules.expression(number).data());
  EXPECT_EQ(copy.expression(number), absl::MakeConstSpan(code));
}

TEST(DsoCfiTest, CopiesOfRulesShareRegisters) {
  RuleTable rules;
  std::vector<RegisterRule> registers;
  for (uint8_t reg = 0; reg < 100; ++reg) {
    registers.push_back({reg, RegisterRule::kAtCfa, -8 * reg});
  }
  std::vector<RuleId> ids;
  for (int32_t value = 0; value < 100; ++value) {
    FrameRule rule;
    rule.cfa_value = value;
    ids.push_back(rules.Intern(
        rule, absl::MakeConstSpan(registers).subspan(0, size_t(value))));
  }
  const FrameRules copy(rules);
  const uint64_t memory = rules.memory();
  FrameRule more;
  more.cfa_value = -1;
  rules.Intern(more, registers);
  EXPECT_GE(rules.memory() - memory, sizeof(RegisterRule) * registers.size());
  for (const RuleId id : ids) {
    const auto mine = rules.registers(rules.rule(id));
    EXPECT_EQ(mine, absl::MakeConstSpan(registers).subspan(0, id));
    EXPECT_EQ(copy.registers(copy.rule(id)).data(), mine.data());
  }
}

TEST(DsoCfiTest, RowsAreMemory) {
  OneFile file(
      TestElf(kMachine, {{".text", 0x1000, std::string(0x1000, 'x')}}));
  RuleTable rules;
  DsoCfi cfi(kMachine, 0, &file, &rules);
  constexpr uint64_t kRows = 100;
  for (uint64_t i = 0; i < kRows; ++i) cfi.Find(kFunction + i);
  EXPECT_EQ(cfi.rows(), kRows);
  EXPECT_GE(file.budget->used(Budget::kMemory), kRows * sizeof(DsoCfi::Row));
  // When the budget is used up, one row stands for all other addresses.
  file.budget->Spend(Budget::kMemory, uint64_t{1} << 30);
  for (uint64_t i = 0; i < 2 * kRows; ++i) {
    EXPECT_EQ(cfi.Find(kFunction + i), kNoRule);
  }
  EXPECT_EQ(cfi.rows(), kRows + 1);
}

TEST(DsoCfiTest, ExidxIsWorkAndMemory) {
  const Machine& arm = *MachineOf("armv7l", 1);
  Bytes table;  // pop {r4, lr}
  table.U32((kFunction - 0x4000) & 0x7fffffff).U32(0x80a8b0b0);
  OneFile file(TestElf(arm, {{".ARM.exidx", 0x4000, table.str()}}));
  RuleTable rules;
  DsoCfi cfi(arm, 0, &file, &rules);
  EXPECT_NE(cfi.Find(kFunction + 4), kNoRule);
  EXPECT_GT(file.budget->used(Budget::kWork), 0u);
  EXPECT_GE(file.budget->used(Budget::kMemory), rules.memory());
  file.budget->Spend(Budget::kWork, uint64_t{1} << 30);
  EXPECT_EQ(cfi.Find(kFunction + 8), kNoRule);
}

// A header of four segments of the file: all but one are read-only.
std::string FileOfSegments(const std::string& bytes) {
  Bytes image;
  image.Add(std::string("\177ELF\2\1\1", 7)).Add(std::string(9, '\0'));
  image.U16(ET_DYN).U16(EM_X86_64).U32(1).U64(0).U64(64).U64(0).U32(0);
  image.U16(64).U16(56).U16(4).U16(64).U16(0).U16(0);
  const auto add = [&](uint32_t flags, uint64_t offset, uint64_t size) {
    image.U32(PT_LOAD).U32(flags).U64(offset).U64(offset).U64(offset);
    image.U64(size).U64(size).U64(4096);
  };
  add(PF_R | PF_W, 0x200, 0x100);
  add(PF_R | PF_X, 0x310, 0x10);
  add(PF_R, 0x300, 0x18);
  add(PF_R, 0x400, 0x1000);  // more than the file has
  return image.Align(0x200).Add(bytes).str();
}

TEST(DsoCfiTest, ReadsWhatSegmentsMapReadOnly) {
  std::string bytes;
  for (int i = 0; i < 0x210; ++i) bytes += static_cast<char>(i);
  OneFile file(FileOfSegments(bytes));
  RuleTable rules;
  const DsoCfi cfi(kMachine, 0, &file, &rules);
  ASSERT_TRUE(cfi.present());
  uint8_t to[8] = {};
  EXPECT_TRUE(cfi.ReadConstant(0x300, 8, to));
  EXPECT_EQ(to[1], 1);
  EXPECT_TRUE(cfi.ReadConstant(0x318, 8, to));
  EXPECT_EQ(to[0], 0x18);
  EXPECT_TRUE(cfi.ReadConstant(0x408, 8, to));
  for (uint64_t none : {0x0, 0x200, 0x2ff, 0x319, 0x3f9, 0x409, 0x1000}) {
    EXPECT_FALSE(cfi.ReadConstant(none, 8, to)) << none;
  }
  EXPECT_FALSE(cfi.ReadConstant(~uint64_t{0}, 8, to));
}

}  // namespace
}  // namespace perf2x
