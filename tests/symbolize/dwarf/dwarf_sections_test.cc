// SPDX-License-Identifier: Apache-2.0

// Sections of debug information that are damaged: they are left out, and named.
#include "converter/symbolize/dwarf/dwarf_sections.h"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "converter/symbolize/dwarf/dwarf_info.h"
#include "tests/unwind/test_elf.h"

namespace perf2x {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr uint64_t kAt = 0x1000;

std::shared_ptr<const ElfFile> FileWith(const std::string& name,
                                        const std::string& bytes,
                                        uint32_t flags = 0) {
  return OpenElf(TestElf(MachineOfElf(EM_X86_64), {{name, kAt, bytes, flags}}));
}

std::set<std::string> SkippedOf(const std::string& name,
                                const std::string& bytes, uint32_t flags = 0) {
  const auto elf = FileWith(name, bytes, flags);
  std::deque<std::string> unpacked;
  SkippedParts skipped;
  EXPECT_THAT(LoadDebugSection(*elf, "str", &unpacked, &skipped), IsEmpty());
  return skipped.sections;
}

TEST(DwarfSectionsTest, DecompressedSectionsCountAsMemoryOfTheFile) {
  auto file = SafeFile::Open("tests/symbolize/data/gcc-zlib");
  ASSERT_TRUE(file.ok());
  const auto elf = ElfFile::Open(*file);
  ASSERT_TRUE(elf.ok());
  std::deque<std::string> unpacked;
  SkippedParts skipped;
  const auto bytes = LoadDebugSection(**elf, "info", &unpacked, &skipped);
  Budget& budget = (*file)->budget();
  EXPECT_EQ(budget.used(Budget::kMemory), bytes.size());
  EXPECT_TRUE(skipped.empty());
  budget.Spend(Budget::kMemory, budget.left(Budget::kMemory) - 1);
  EXPECT_THAT(LoadDebugSection(**elf, "info", &unpacked, &skipped), IsEmpty());
  EXPECT_THAT(skipped.sections, ElementsAre(".debug_info"));
}

TEST(DwarfSectionsTest, AnIncompleteCompressionHeaderIsDamage) {
  const std::string whole = Bytes().U32(1).U32(0).U64(0).U64(1).str();
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_THAT(SkippedOf(".debug_str", whole.substr(0, size), SHF_COMPRESSED),
                ElementsAre(".debug_str"))
        << size;
  }
}

TEST(DwarfSectionsTest, AnIncompleteHeaderOfTheGnuFormatIsDamage) {
  for (const char* bytes : {"", "ZLI", "ZLIB", "ZLIB\1\2\3", "BZIP12345678"}) {
    EXPECT_THAT(SkippedOf(".zdebug_str", bytes), ElementsAre(".debug_str"))
        << bytes;
  }
}

TEST(DwarfSectionsTest, AMissingSectionIsNoDamage) {
  EXPECT_THAT(SkippedOf(".debug_line", "x"), IsEmpty());
}

std::set<uint64_t> UnitsSkippedOf(const std::string& info) {
  const auto file = DwarfFile::Open(FileWith(".debug_info", info), {});
  if (file == nullptr) return {~uint64_t{0}};
  SkippedParts skipped;
  DwarfInfo(file).AddSkippedParts(&skipped);
  return skipped.entries;
}

TEST(DwarfSectionsTest, UnitsAfterADamagedHeaderAreSkippedAndCounted) {
  // DWARF 9, which is skipped by its length.
  const std::string unit = Bytes().U32(8).U16(9).U16(0).U32(0).str();
  EXPECT_THAT(UnitsSkippedOf(unit + unit), IsEmpty());
  EXPECT_THAT(UnitsSkippedOf(unit + std::string(6, '\0')), IsEmpty());
  const std::string beyond = Bytes().U32(100).U16(5).U32(0).str();
  EXPECT_THAT(UnitsSkippedOf(unit + beyond), ElementsAre(12));
  EXPECT_THAT(UnitsSkippedOf(unit + "ab"), ElementsAre(12));
}

}  // namespace
}  // namespace perf2x
