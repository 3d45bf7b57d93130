// SPDX-License-Identifier: Apache-2.0
#include "converter/symbolize/elf/instruction_map.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unwind/test_elf.h"

namespace perf2x {
namespace {

TEST(InstructionMapTest, ChargesEachLookUpForCodeWithoutInstructions) {
  constexpr uint64_t kStart = 0x1000, kSize = 64;
  // 0x06 is no instruction of 64-bit code.
  const auto elf = OpenElf(
      TestElf(MachineOfElf(EM_X86_64),
              {{".text", kStart, std::string(kSize, '\x06'), SHF_EXECINSTR}}));
  SymbolIndex symbols;
  for (uint64_t i = 0; i < kSize; ++i) {
    symbols.Add(kStart + i, 1, "f", STT_FUNC, STB_GLOBAL);
  }
  symbols.Finish();
  InstructionMap map(*elf, symbols);
  const Budget& budget = elf->file()->budget();
  EXPECT_EQ(map.Next(kStart, kStart + kSize), std::nullopt);
  const uint64_t first = budget.used(Budget::kWork);
  EXPECT_EQ(map.Next(kStart, kStart + kSize), std::nullopt);
  EXPECT_EQ(budget.used(Budget::kWork), first + kSize);
}

std::string MappingSymbol(uint32_t name, uint64_t address) {
  return Bytes()
      .U32(name)
      .U8(ELF64_ST_INFO(STB_LOCAL, STT_NOTYPE))
      .U8(0)
      .U16(1)
      .U64(address)
      .U64(0)
      .str();
}

// A function with a literal pool, which has a label, between its code.
TEST(InstructionMapTest, MarkedDataHasNoInstructions) {
  constexpr uint64_t kStart = 0x1000;
  const std::string names("\0$x\0$d.1\0label\0", 15);
  const std::string symbols =
      std::string(24, '\0') + MappingSymbol(1, kStart) +
      MappingSymbol(4, kStart + 8) + MappingSymbol(9, kStart + 12) +
      MappingSymbol(1, kStart + 16) + MappingSymbol(4, kStart + 24) +
      MappingSymbol(1, kStart + 24);
  std::string code;
  for (int i = 0; i < 8; ++i) code += std::string("\x1f\x20\x03\xd5", 4);
  const auto elf =
      OpenElf(TestElf(MachineOfElf(EM_AARCH64),
                      {{".text", kStart, code, SHF_EXECINSTR},
                       {".symtab", 0x2000, symbols, 0, SHT_SYMTAB, 3, 24},
                       {".strtab", 0x3000, names, 0, SHT_STRTAB}}));
  SymbolIndex functions;
  functions.Add(kStart, 32, "f", STT_FUNC, STB_GLOBAL);
  functions.Finish();
  InstructionMap map(*elf, functions);
  std::vector<uint64_t> found;
  for (auto at = map.Next(kStart, ~uint64_t{0}); at.has_value();
       at = map.Next(*at + 1, ~uint64_t{0})) {
    found.push_back(*at - kStart);
  }
  EXPECT_EQ(found, (std::vector<uint64_t>{0, 4, 16, 20, 24, 28}));
  EXPECT_EQ(map.SizeAt(kStart + 8), 0u);
}

}  // namespace
}  // namespace perf2x
