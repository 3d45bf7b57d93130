// SPDX-License-Identifier: Apache-2.0
#include "converter/symbolize/elf/elf_symbols.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "tests/fuzz/symbol_bombs.h"

namespace perf2x {
namespace {

// Returns a file with this many symbols of one name, of `packed` bytes on disk.
std::shared_ptr<const ElfFile> FileOfSymbols(uint64_t count, uint64_t packed) {
  Bytes table;
  table.Add(std::string(sizeof(Elf64_Sym), '\0'));
  for (uint64_t i = 1; i < count; ++i) {
    table.U32(1).U8(STB_GLOBAL << 4 | STT_FUNC).U8(0).U16(3);
    table.U64(kCode).U64(16);
  }
  auto elf = ElfFile::Open(SafeFile::FromMemory(
      "packed",
      MakeElf({{".symtab", SHT_SYMTAB, table.str(), 2, 24},
               {".strtab", SHT_STRTAB, std::string("\0a\0", 3)}}),
      packed));
  return elf.ok() ? *std::move(elf) : nullptr;
}

TEST(ElfSymbolsTest, AFileHasNoMoreSymbolsThanItIsWorth) {
  SkippedParts skipped;
  SymbolIndex index;
  const auto worth = FileOfSymbols(1'000, 1);
  EXPECT_EQ(AddElfSymbols(*worth, false, &index, &skipped), 999u);
  EXPECT_TRUE(skipped.empty());
  EXPECT_GE(worth->file()->budget().used(Budget::kMemory), 96'000u);
  const auto bomb = FileOfSymbols(2'000, 1);
  EXPECT_EQ(AddElfSymbols(*bomb, false, &index, &skipped), 0u);
  EXPECT_EQ(skipped.symbols, 2'000u);
  EXPECT_FALSE(bomb->file()->budget().exhausted());
}

}  // namespace
}  // namespace perf2x
