// SPDX-License-Identifier: Apache-2.0

// Symbol files that would take much time or memory: symbolizing with each stays
// within stated bounds.

#include "tests/fuzz/symbol_bombs.h"

#include <dwarf.h>
#include <elf.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "converter/symbolize/dwarf/dwarf_info.h"
#include "converter/symbolize/find/unpack.h"
#include "tests/support/compressed_file.h"

namespace perf2x {
namespace {

std::string Symbols(const std::vector<uint32_t>& names) {
  Bytes table;
  table.Add(std::string(sizeof(Elf64_Sym), '\0'));
  for (size_t i = 0; i < names.size(); ++i) {
    table.U32(names[i]).U8(STB_GLOBAL << 4 | STT_FUNC).U8(0).U16(3);
    table.U64(kCode + 16 * i).U64(16);
  }
  return table.str();
}

TEST(SymbolBombTest, ANameOf10Megabytes) {
  const std::string name = '\0' + std::string(10'000'000, 'n') + '\0';
  for (const char* start : {"n", "_Z", "_R", "_D"}) {
    std::string strings = name;
    strings.replace(1, std::string(start).size(), start);
    const std::string elf =
        MakeElf({{".symtab", SHT_SYMTAB, Symbols({1}), 2, sizeof(Elf64_Sym)},
                 {".strtab", SHT_STRTAB, strings, 0, 0}});
    const Bounded bounded;
    const Named named = NameCode(elf);
    EXPECT_EQ(named.found, 1u);
    EXPECT_TRUE(named.warnings.empty());
  }
}

// Merely to look for the ends of all names of the large file would take 14 s.
TEST(SymbolBombTest, NamesThatAreEachMostOfTheFile) {
  for (const auto& [count, length] :
       {std::pair<uint32_t, size_t>{kNameCount, 500'000},
        {300'000, 4'000'000}}) {
    const std::string strings = '\0' + std::string(length, 'n') + '\0';
    std::vector<uint32_t> names;
    for (uint32_t i = 0; i < count; ++i) names.push_back(i + 1);
    const std::string elf =
        MakeElf({{".symtab", SHT_SYMTAB, Symbols(names), 2, sizeof(Elf64_Sym)},
                 {".strtab", SHT_STRTAB, strings, 0, 0}});
    ASSERT_LT(elf.size(), 12'000'000u);
    const Bounded bounded;
    const Named named = NameCode(elf);
    EXPECT_GE(named.found, 1u);
    EXPECT_LT(named.found, 20u);
    ExpectOneWarning(named, absl::StrCat(count - named.found, " symbols"));
  }
}

TEST(SymbolBombTest, LinkageTablesOfOneLongName) {
  const std::string strings = '\0' + std::string(300'000, 'n') + '\0';
  Bytes relocations, code;
  code.Add(std::string(kCode, '\0'));
  for (uint32_t i = 0; i < 10'000; ++i) {
    const uint32_t slot = 0x200000 + 8 * i;
    relocations.U64(slot);
    relocations.U64(uint64_t{1} << 32 | R_X86_64_JUMP_SLOT).U64(0);
    // A jump through the word at `slot`, relative to its own end, and padding.
    code.U16(0x25ff).U32(slot - kCode - 16 * i - 6).U64(0).U16(0);
  }
  const std::string elf = MakeElf(
      {{".dynsym", SHT_DYNSYM, Symbols({1}), 2, sizeof(Elf64_Sym)},
       {".dynstr", SHT_STRTAB, strings, 0, 0},
       {".plt", SHT_PROGBITS, code.str()},
       {".rela.plt", SHT_RELA, relocations.str(), 1, sizeof(Elf64_Rela)}});
  const Bounded bounded;
  // Of the 10,000 entries, those are kept whose names fit in four times the
  // file's size.
  const size_t kept = 4 * elf.size() / 300'000;
  const Named named = NameCode(elf);
  EXPECT_EQ(named.found, kept);
  ExpectOneWarning(named, absl::StrCat(10'000 - kept, " symbols"));
}

// Nothing of the debug information is read; one warning reports it.
TEST(SymbolBombTest, SectionsThatExpandWithoutEnd) {
  constexpr uint64_t kSize = 200'000'000;
  std::string zeros(kSize, '\0');
  std::string packed(compressBound(kSize), '\0');
  uLongf size = packed.size();
  ASSERT_EQ(compress(reinterpret_cast<Bytef*>(packed.data()), &size,
                     reinterpret_cast<const Bytef*>(zeros.data()), kSize),
            Z_OK);
  packed.resize(size);
  Bytes section;
  section.U32(ELFCOMPRESS_ZLIB).U32(0).U64(kSize).U64(1).Add(packed);
  const std::string elf = MakeElf(
      {{".debug_info", SHT_PROGBITS, section.str(), 0, 0, SHF_COMPRESSED}});
  zeros = std::string();
  const Bounded bounded;
  ExpectOneWarning(NameCode(elf), ".debug_info");
}

// 200 MB, compressed in two formats.
TEST(SymbolBombTest, PackedFilesThatExpandWithoutEnd) {
  const ByteVector zeros(200'000'000);
  for (const auto& packed : {Gzipped(zeros), Zstded(zeros)}) {
    ASSERT_LT(packed.size(), 1'000'000u);
    const Bounded bounded;
    EXPECT_FALSE(Unpack(packed, packed.size()).ok());
  }
}

// Returns a file with a unit that has the entries `more`. They may use the
// abbreviations 2 (a function with children), 3 (an inlined function with
// children), 4 (a function with an origin) and 5 (a function with an offset in
// `ranges`).
std::string DwarfOf(const std::string& more, const std::string& ranges = "") {
  Bytes abbrev;
  auto declare = [&](int code, int tag, bool children,
                     std::initializer_list<int> attributes) {
    abbrev.U8(static_cast<uint8_t>(code)).U8(static_cast<uint8_t>(tag));
    abbrev.U8(children ? 1 : 0);
    for (int a : attributes) abbrev.U8(static_cast<uint8_t>(a));
    abbrev.U16(0);
  };
  declare(1, DW_TAG_compile_unit, true,
          {DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data4});
  declare(2, DW_TAG_subprogram, true,
          {DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data4,
           DW_AT_abstract_origin, DW_FORM_ref4});
  declare(3, DW_TAG_inlined_subroutine, true,
          {DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data4,
           DW_AT_abstract_origin, DW_FORM_ref4});
  declare(4, DW_TAG_subprogram, false, {DW_AT_abstract_origin, DW_FORM_ref4});
  declare(5, DW_TAG_subprogram, false, {DW_AT_ranges, DW_FORM_sec_offset});
  abbrev.U8(0);
  Bytes unit;
  unit.U16(4).U32(0).U8(8);
  unit.U8(1).U64(kCode).U32(0x10000);
  unit.Add(more);
  const Machine* machine = MachineOf("x86_64", 2);
  return TestElf(*machine,
                 {{".debug_info", 0x200, Bytes().Sized(unit.str()).str()},
                  {".debug_abbrev", 0x200000, abbrev.str()},
                  {".debug_ranges", 0x300000, ranges}});
}
// Offset of `more` in the unit.
constexpr uint32_t kMore = 4 + 2 + 4 + 1 + 1 + 8 + 4;

// Returns the frames at an address. Expects that `skipped` parts are reported
// as skipped.
std::vector<DwarfFrame> FramesAt(const std::string& image, uint64_t address,
                                 size_t skipped) {
  std::shared_ptr<const ElfFile> elf = OpenElf(image);
  std::vector<DwarfFrame> frames;
  auto file = DwarfFile::Open(elf, DwarfCompanions());
  EXPECT_NE(file, nullptr);
  if (file == nullptr) return {};
  DwarfInfo dwarf(std::move(file));
  dwarf.Find(address, /*inlines=*/true, &frames);
  SkippedParts parts;
  dwarf.AddSkippedParts(&parts);
  EXPECT_EQ(parts.entries.size(), skipped);
  return frames;
}

TEST(SymbolBombTest, OriginsInACircle) {
  Bytes more;
  const uint32_t a = kMore + 1 + 8 + 4 + 4 + 1;  // after the function
  more.U8(2).U64(kCode).U32(0x1000).U32(a).U8(0);
  more.U8(4).U32(a + 5);
  more.U8(4).U32(a);
  more.U8(0);
  const Bounded bounded;
  EXPECT_LE(FramesAt(DwarfOf(more.str()), kCode + 5, 1).size(), 1u);
}

TEST(SymbolBombTest, AFunctionThatIsItsOwnOrigin) {
  Bytes more;
  more.U8(2).U64(kCode).U32(0x1000).U32(kMore);
  for (int i = 0; i < 10; ++i) {
    more.U8(3).U64(kCode).U32(0x1000).U32(kMore);
  }
  const Bounded bounded;
  EXPECT_LE(FramesAt(DwarfOf(more.str()), kCode + 5, 1).size(), 11u);
}

TEST(SymbolBombTest, InlinedFunctionsWithoutEnd) {
  Bytes more;
  more.U8(2).U64(kCode).U32(0x1000).U32(kMore);
  for (int i = 0; i < 50'000; ++i) {
    more.U8(3).U64(kCode).U32(0x1000).U32(kMore);
  }
  const std::string elf = DwarfOf(more.str());
  const Bounded bounded;
  const size_t frames = FramesAt(elf, kCode + 5, 1).size();
  EXPECT_GT(frames, 0u);
  EXPECT_LE(frames, 1001u);
}

TEST(SymbolBombTest, FunctionsThatShareRanges) {
  Bytes ranges;
  for (uint64_t i = 0; i < 10'000; ++i) {
    ranges.U64(kCode + 16 * i).U64(kCode + 16 * i + 8);
  }
  ranges.U64(0).U64(0);
  Bytes more;
  for (int i = 0; i < 1000; ++i) more.U8(5).U32(0);
  more.U8(0);
  const std::string elf = DwarfOf(more.str(), ranges.str());
  const Bounded bounded;
  // As many ranges are read as the sections have bytes: 160,016 and some 5,000.
  FramesAt(elf, kCode + 5, 1000 - 16);
}

}  // namespace
}  // namespace perf2x
