// SPDX-License-Identifier: Apache-2.0
#include "converter/symbolize/elf/instruction_map.h"

#include <gtest/gtest.h>

#include <string>

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

}  // namespace
}  // namespace perf2x
