// SPDX-License-Identifier: Apache-2.0

// The code of a program, as objdump, addr2line and readelf show it.
#include "converter/symbolize/elf/elf_code.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "converter/symbolize/elf/elf_symbols.h"

namespace perf2x {
namespace {

using testing::ElementsAre;
using testing::Pair;

class ElfCodeTest : public ::testing::Test {
 protected:
  // Functions: demo::Outer from 0x230, plain_c from 0x270, _start from 0x280.
  void SetUp() override {
    auto file = SafeFile::Open(FilePlace("tests/symbolize/data", "gcc-dwarf5"));
    ASSERT_TRUE(file.ok()) << file.status();
    auto elf = ElfFile::Open(*file);
    ASSERT_TRUE(elf.ok()) << elf.status();
    elf_ = *std::move(elf);
    SkippedParts skipped;
    AddElfSymbols(*elf_, false, &symbols_, &skipped);
    symbols_.Finish();
    code_ = std::make_unique<ElfCode>(elf_, symbols_, DwarfFile::Open(elf_, {}),
                                      std::nullopt);
  }
  // "function offset.discriminator", the outermost first.
  std::vector<std::string> LinesAt(uint64_t address) {
    std::vector<CodeLine> lines;
    code_->AppendLines(address, &lines);
    std::vector<std::string> out;
    for (const CodeLine& line : lines) {
      out.push_back(absl::StrCat(line.function, " ", line.line_offset, ".",
                                 line.discriminator));
    }
    return out;
  }

  std::shared_ptr<const ElfFile> elf_;
  SymbolIndex symbols_;
  std::unique_ptr<ElfCode> code_;
};

TEST_F(ElfCodeTest, InstructionsHaveStartsAndSizes) {
  ASSERT_TRUE(code_->can_decode());
  EXPECT_EQ(code_->InstructionSize(0x230), 6u);
  EXPECT_EQ(code_->InstructionSize(0x231), 0u);
  EXPECT_EQ(code_->InstructionSize(0x26b), 1u);
  EXPECT_EQ(code_->InstructionSize(0x286), 5u);
  EXPECT_EQ(code_->InstructionSize(0x1000), 0u);
  EXPECT_EQ(code_->NextInstruction(0x231, 0x300), 0x236u);
  EXPECT_EQ(code_->NextInstruction(0x26d, 0x300), 0x270u);
  EXPECT_EQ(code_->NextInstruction(0x231, 0x236), std::nullopt);
  EXPECT_EQ(code_->NextInstruction(0x292, 0x300), std::nullopt);
}

TEST_F(ElfCodeTest, CallsReturnsAndJumpsEndARun) {
  EXPECT_TRUE(code_->RunsThrough(0x230, 0x26b));   // up to the return
  EXPECT_FALSE(code_->RunsThrough(0x230, 0x26c));  // beyond it
  EXPECT_FALSE(code_->RunsThrough(0x270, 0x275));  // a call
  EXPECT_TRUE(code_->RunsThrough(0x28b, 0x291));
  EXPECT_FALSE(code_->RunsThrough(0x28b, 0x292));  // a jump
}

TEST_F(ElfCodeTest, CallsAndReturnsAreTold) {
  using Transfer = CodeImage::Transfer;
  EXPECT_EQ(code_->TransferAt(0x230), Transfer::kNone);
  EXPECT_EQ(code_->TransferAt(0x26b), Transfer::kReturn);
  EXPECT_EQ(code_->TransferAt(0x270), Transfer::kCall);
  EXPECT_EQ(code_->TransferAt(0x286), Transfer::kCall);
  EXPECT_EQ(code_->TransferAt(0x287), Transfer::kNone);
  EXPECT_EQ(code_->TransferAt(0x291), Transfer::kNone);  // a jump
}

TEST_F(ElfCodeTest, InstructionsHavePredecessors) {
  EXPECT_EQ(code_->PreviousInstruction(0x236), 0x230u);
  EXPECT_EQ(code_->PreviousInstruction(0x234), 0x230u);
  EXPECT_EQ(code_->PreviousInstruction(0x28b), 0x286u);
  EXPECT_EQ(code_->PreviousInstruction(0x270), 0x26cu);  // of another function
  EXPECT_EQ(code_->PreviousInstruction(0x230), std::nullopt);
}

// _start jumps back to its first instruction.
TEST_F(ElfCodeTest, BasicBlocksEndAtBranches) {
  const CodeImage::Block start = code_->BlockAt(0x28b);
  EXPECT_EQ(start.first, 0x280u);
  EXPECT_EQ(start.last, 0x291u);
  EXPECT_EQ(start.instructions, 4u);
  EXPECT_EQ(code_->BlockAt(0x275).first, 0x270u);
  EXPECT_EQ(code_->BlockAt(0x275).last, 0x278u);
}

TEST_F(ElfCodeTest, FunctionsReachToTheNextOne) {
  const auto outer = code_->FunctionAt(0x26d);
  ASSERT_TRUE(outer.has_value());
  EXPECT_EQ(outer->start, 0x230u);
  EXPECT_EQ(outer->end, 0x26cu);
  EXPECT_EQ(outer->limit, 0x270u);
  EXPECT_EQ(outer->name, "_ZN4demo5OuterEi");
  EXPECT_FALSE(code_->FunctionAt(0x22f).has_value());
}

TEST_F(ElfCodeTest, LinesCountFromTheirFunction) {
  EXPECT_THAT(LinesAt(0x230),
              ElementsAre("_ZN4demo5OuterEi 2.0", "_ZNK4demo5Shape4AreaEi 0.0",
                          "_ZN4demo4LeafEi 1.0"));
  EXPECT_THAT(LinesAt(0x26b), ElementsAre("_ZN4demo5OuterEi 5.0"));
  ASSERT_EQ(LinesAt(0x286).size(), 1u);
  EXPECT_THAT(LinesAt(0x286)[0], testing::EndsWith(".1"));
  EXPECT_THAT(LinesAt(0x1000), ElementsAre());
}

TEST_F(ElfCodeTest, RangesAreThoseOfTheFunction) {
  std::vector<CodeImage::Range> ranges;
  code_->AppendRanges(0x240, &ranges);
  EXPECT_THAT(ranges, ElementsAre(Pair(0x230, 0x26c)));
}

TEST_F(ElfCodeTest, IsLinkedToNoFixedAddress) {
  EXPECT_TRUE(code_->is_position_independent());
  EXPECT_EQ(code_->code_start(), 0u);
  EXPECT_EQ(code_->AddressOf(0x230), 0x230u);
}

}  // namespace
}  // namespace perf2x
