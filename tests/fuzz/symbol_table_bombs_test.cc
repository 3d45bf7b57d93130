// SPDX-License-Identifier: Apache-2.0

// Headers, symbols and jitdumps that make each look-up long, or each line.

#include <elf.h>

#include "converter/symbolize/demangle.h"
#include "converter/symbolize/jit/jitdump.h"
#include "converter/symbolize/symbolize.h"
#include "tests/fuzz/name_that_doubles.h"
#include "tests/fuzz/symbol_bombs.h"

namespace perf2x {
namespace {

// Returns `image` with `count` more segments of a type, each of which is the
// whole file.
std::string WithSegments(std::string image, uint16_t count, uint32_t type) {
  image.resize((image.size() + 7) / 8 * 8);
  const uint64_t size = image.size();
  Bytes table;
  table.Add(image.substr(sizeof(Elf64_Ehdr), sizeof(Elf64_Phdr)));
  for (int i = 0; i < count; ++i) {
    // Loaded after all code.
    table.U32(type).U32(PF_R).U64(0).U64(uint64_t{1} << 40).U64(0);
    table.U64(size).U64(size).U64(4096);
  }
  const std::string place = Bytes().U64(size).str();
  image.replace(offsetof(Elf64_Ehdr, e_phoff), 8, place);
  image.replace(offsetof(Elf64_Ehdr, e_phnum), 2,
                Bytes().U16(static_cast<uint16_t>(count + 1)).str());
  return image + table.str();
}

// Functions that start one byte after each looked-up address: the address may
// be the end of a call before the function, so the code there is looked at.
std::vector<ElfSection> FunctionsBehind() {
  Bytes table;
  table.Add(std::string(sizeof(Elf64_Sym), '\0'));
  for (uint64_t i = 0; i < 10'000; ++i) {
    table.U32(1).U8(STB_GLOBAL << 4 | STT_FUNC).U8(0).U16(3);
    table.U64(kCode + 16 * i + 1).U64(15);
  }
  return {{".symtab", SHT_SYMTAB, table.str(), 2, sizeof(Elf64_Sym)},
          {".strtab", SHT_STRTAB, std::string("\0name\0", 6), 0, 0}};
}

TEST(SymbolTableBombTest, SegmentsWithoutEnd) {
  const std::string elf =
      WithSegments(MakeElf(FunctionsBehind()), 13'000, PT_LOAD);
  ASSERT_LE(elf.size(), 1'000'000u);
  const Bounded bounded;
  EXPECT_GT(NameCode(elf).found, 0u);
}

TEST(SymbolTableBombTest, NotesThatAreEachAllNotes) {
  std::string notes;
  for (int i = 0; i < 20'000; ++i) {
    notes += Bytes().U32(0).U32(0).U32(1).str();
  }
  // The headers of the file are read as notes, too: an owner with a long name.
  const std::string elf = WithSegments(
      MakeElf({{".note", SHT_NOTE, notes, 0, 0}}), 13'000, PT_NOTE);
  ASSERT_LE(elf.size(), 1'000'000u);
  std::string only_notes = elf;
  for (size_t i = 1; i <= 13'000; ++i) {
    const size_t at = elf.size() - i * sizeof(Elf64_Phdr);
    only_notes.replace(
        at + offsetof(Elf64_Phdr, p_offset), 8,
        Bytes().U64(sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr)).str());
    only_notes.replace(at + offsetof(Elf64_Phdr, p_filesz), 8,
                       Bytes().U64(notes.size()).str());
  }
  const Bounded bounded;
  auto opened = OpenElf(only_notes);
  ASSERT_NE(opened, nullptr);
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(opened->build_id().empty());
}

// The best of the names of one address is chosen by their demangled forms.
TEST(SymbolTableBombTest, ManyLongNamesOfOneAddress) {
  std::string strings(1, '\0');
  Bytes table;
  table.Add(std::string(sizeof(Elf64_Sym), '\0'));
  const auto add = [&](const std::string& name, uint64_t at, uint64_t size) {
    table.U32(static_cast<uint32_t>(strings.size()));
    table.U8(STB_GLOBAL << 4 | STT_FUNC).U8(0).U16(3).U64(at).U64(size);
    strings += name + '\0';
  };
  add("all", kCode - 32, 1 << 20);
  for (int i = 0; i < 255; ++i) {
    std::string name = "_ZN";
    for (int j = 0; j < 1000; ++j) name += "1a";
    add(absl::StrCat(name, "3n", 10 + i % 90, "Ev"), kCode - 16, 8);
  }
  const std::string elf =
      MakeElf({{".symtab", SHT_SYMTAB, table.str(), 2, sizeof(Elf64_Sym)},
               {".strtab", SHT_STRTAB, strings, 0, 0}});
  ASSERT_LE(elf.size(), 1'000'000u);
  const Bounded bounded;
  EXPECT_EQ(NameCode(elf).found, kNameCount);
}

std::string ElfOfNamesThatDouble(int count, int levels) {
  std::string strings(1, '\0');
  Bytes table;
  table.Add(std::string(sizeof(Elf64_Sym), '\0'));
  for (int i = 0; i < count; ++i) {
    table.U32(static_cast<uint32_t>(strings.size()));
    table.U8(STB_GLOBAL << 4 | STT_FUNC).U8(0).U16(3);
    table.U64(kCode + 16 * static_cast<uint64_t>(i)).U64(16);
    strings += NameThatDoubles(i, levels) + '\0';
  }
  return MakeElf({{".symtab", SHT_SYMTAB, table.str(), 2, sizeof(Elf64_Sym)},
                  {".strtab", SHT_STRTAB, strings, 0, 0}});
}

TEST(SymbolTableBombTest, NamesThatDouble) {
  EXPECT_GT(DemangleSymbol(NameThatDoubles(7, 12), Demangle::kSimple).size(),
            30'000u);
  for (const int levels : {12, 14, 17}) {
    SCOPED_TRACE(levels);
    const std::string elf = ElfOfNamesThatDouble(4000, levels);
    ASSERT_LE(elf.size(), 1'000'000u);
    const Bounded bounded;
    const Named named = NameCode(elf);
    EXPECT_EQ(named.found, 4000u);
    ExpectOneWarning(named, levels == 12
                                ? "what came after its memory was used up"
                                : "what came after its work was used up");
  }
}

TEST(SymbolTableBombTest, ManySmallFilesTakeNoMoreThanALargeOne) {
  const std::string elf = ElfOfNamesThatDouble(20, 17);
  const Bounded bounded;
  for (size_t size = 0; size < 1'000'000; size += elf.size()) NameCode(elf);
}

TEST(RecordedNameBombTest, NamesThatDouble) {
  for (const int levels : {14, 17}) {
    SCOPED_TRACE(levels);
    const Bounded bounded;
    const auto symbolizer = MakeSymbolizer({});
    size_t named = 0;
    constexpr int kNamesOfJit = 5000;
    for (int i = 0; i < kNamesOfJit; ++i) {
      Dso code;
      code.kind = DsoKind::kGenerated;
      code.name = "[JIT] tid 7";
      code.symbol = NameThatDoubles(i, levels);
      const uint64_t address = 16;
      symbolizer->Resolve(code, {&address, 1},
                          [&](size_t, absl::Span<const Symbol> symbols) {
                            named += !symbols.empty();
                          });
    }
    EXPECT_EQ(named, kNamesOfJit);
    ASSERT_EQ(symbolizer->Reports().size(), 1u);
    EXPECT_EQ(symbolizer->Reports()[0].warnings,
              std::vector<std::string>{
                  "the work that demangling the names of a recording of this "
                  "size may take is used up (see SECURITY.md)"});
  }
}

// Each line says that its file is that of the previous line.
TEST(JitDumpBombTest, ManyLinesOfALongPath) {
  Bytes lines;
  constexpr uint64_t kLines = 40'000;
  lines.U64(0x1000).U64(kLines);
  for (uint64_t i = 0; i < kLines; ++i) {
    lines.U64(0x1000 + i).U32(1).U32(0);
    lines.Add(i == 0 ? std::string(100'000, 'p') : "\xff").U8(0);
  }
  Bytes dump;
  dump.U32(0x4A695444).U32(1).U32(40).U32(62).U32(0).U32(1).U64(5).U64(0);
  dump.U32(2).U32(static_cast<uint32_t>(16 + lines.size())).U64(6);
  dump.Add(lines.str());
  ASSERT_LE(dump.size(), 1'000'000u);
  auto opened = JitDump::Open(SafeFile::FromMemory("jit-1.dump", dump.str()));
  ASSERT_TRUE(opened.ok());
  const Bounded bounded;
  // The rest counts as damaged.
  EXPECT_FALSE((*opened)->ForEach([](const JitDump::Event&) {}));
}

}  // namespace
}  // namespace perf2x
