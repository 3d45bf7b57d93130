// SPDX-License-Identifier: Apache-2.0

// Debug information and call frame information whose parts overlap, so that
// each byte is read over and over: reading stays within stated bounds.

#include <dwarf.h>

#include "absl/strings/str_cat.h"
#include "converter/unwind/dso_cfi.h"
#include "tests/fuzz/symbol_bombs.h"

namespace perf2x {
namespace {

// The declarations in .debug_abbrev.
class Abbreviations {
 public:
  void Add(uint64_t code, int tag, bool children,
           const std::vector<int>& attributes) {
    Uleb(code);
    Uleb(static_cast<uint64_t>(tag));
    bytes_.U8(children ? 1 : 0);
    for (int a : attributes) Uleb(static_cast<uint64_t>(a));
    bytes_.U16(0);
  }
  std::string str() { return bytes_.str() + '\0'; }
  size_t size() const { return bytes_.size(); }

 private:
  void Uleb(uint64_t v) {
    for (; v >= 0x80; v >>= 7) bytes_.U8(static_cast<uint8_t>(v | 0x80));
    bytes_.U8(static_cast<uint8_t>(v));
  }
  Bytes bytes_;
};

std::string Uleb(uint64_t v) {
  std::string out;
  for (; v >= 0x80; v >>= 7) out += static_cast<char>(v | 0x80);
  return out + static_cast<char>(v);
}

// A unit of DWARF 4.
std::string Unit(const std::string& entries, uint32_t abbreviations = 0) {
  Bytes unit;
  unit.U16(4).U32(abbreviations).U8(8).Add(entries);
  return Bytes().Sized(unit.str()).str();
}

const std::vector<int> kLowHigh = {DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc,
                                   DW_FORM_data4};

std::vector<int> With(std::vector<int> attributes,
                      std::initializer_list<int> more) {
  attributes.insert(attributes.end(), more);
  return attributes;
}

// Symbolizes the code of a file with these sections, which is no larger than 1
// MB.
Named NameDebug(const std::vector<ElfSection>& sections) {
  const std::string elf = MakeElf(sections);
  EXPECT_LE(elf.size(), 1'000'000u);
  const Bounded bounded;
  return NameCode(elf);
}

ElfSection Section(const std::string& name, std::string bytes) {
  return {name, SHT_PROGBITS, std::move(bytes)};
}

// A form that stands for a form in the entry, which may be such a form again.
TEST(DebugInfoBombTest, FormsThatAreIndirectOverAndOver) {
  for (const size_t times : {1, 2, 5, 700, 300'000}) {
    Abbreviations table;
    table.Add(1, DW_TAG_compile_unit, true, {});
    table.Add(2, DW_TAG_subprogram, false,
              With(kLowHigh, {DW_AT_name, DW_FORM_indirect}));
    Bytes entry;
    entry.Add(Uleb(1)).Add(Uleb(2)).U64(kCode).U32(64);
    entry.Add(std::string(times - 1, static_cast<char>(DW_FORM_indirect)));
    entry.Add(Uleb(DW_FORM_string)).Add(std::string("far\0", 4)).U8(0);
    const Named named = NameDebug({Section(".debug_abbrev", table.str()),
                                   Section(".debug_info", Unit(entry.str()))});
    EXPECT_GT(named.found, 0u) << times;
  }
}

// A form's number that has DW_FORM_indirect in its low 16 bits.
TEST(DebugInfoBombTest, FormsThatAreIndirectOnlyInTheirLowBits) {
  Abbreviations table;
  table.Add(1, DW_TAG_compile_unit, true, {});
  table.Add(2, DW_TAG_subprogram, false,
            With(kLowHigh, {DW_AT_name, DW_FORM_indirect}));
  Bytes entry;
  entry.Add(Uleb(1)).Add(Uleb(2)).U64(kCode).U32(64);
  std::string forms;
  for (int i = 0; i < 300'000; ++i) forms += Uleb(0x10016);
  entry.Add(forms).Add(Uleb(DW_FORM_string)).Add(std::string("far\0", 4)).U8(0);
  NameDebug({Section(".debug_abbrev", table.str()),
             Section(".debug_info", Unit(entry.str()))});
}

TEST(DebugInfoBombTest, UnitsThatShareALongTableOfAbbreviations) {
  Abbreviations table;
  for (uint64_t code = 1; code < 80'000; ++code) {
    table.Add(code, DW_TAG_base_type, false, {});
  }
  table.Add(80'000, DW_TAG_compile_unit, false, kLowHigh);
  std::string units;
  for (uint64_t i = 0; i < 16'000; ++i) {
    units += Unit(Uleb(80'000) + Bytes().U64(kCode + 16 * i).U32(16).str());
  }
  NameDebug(
      {Section(".debug_abbrev", table.str()), Section(".debug_info", units)});
}

// Each unit's table is the end of the previous unit's table.
TEST(DebugInfoBombTest, TablesOfAbbreviationsWithinOneAnother) {
  Abbreviations table;
  std::string units;
  for (uint64_t code = 1; code < 60'000; ++code) {
    if (code < 20'000) {
      units += Unit(Uleb(60'000) + Bytes().U64(kCode + 16 * code).U32(16).str(),
                    static_cast<uint32_t>(table.size()));
    }
    table.Add(code, DW_TAG_base_type, false, {});
  }
  table.Add(60'000, DW_TAG_compile_unit, false, kLowHigh);
  NameDebug(
      {Section(".debug_abbrev", table.str()), Section(".debug_info", units)});
}

// Each entry has one byte and 200,000 attributes.
TEST(DebugInfoBombTest, EntriesOfAttributesWithoutBytes) {
  std::vector<int> flags;
  for (int i = 0; i < 200'000; ++i) {
    flags.insert(flags.end(), {DW_AT_external, DW_FORM_flag_present});
  }
  Abbreviations table;
  table.Add(1, DW_TAG_compile_unit, true, kLowHigh);
  table.Add(2, DW_TAG_subprogram, false, flags);
  const std::string unit = Unit('\1' + Bytes().U64(kCode).U32(1 << 20).str() +
                                std::string(400'000, '\2') + '\0');
  NameDebug(
      {Section(".debug_abbrev", table.str()), Section(".debug_info", unit)});
}

std::string LineTableOf(const std::string& program) {
  Bytes header;
  header.U8(1).U8(1).U8(1).U8(0xff).U8(14).U8(13);
  for (int operands : {0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1}) {
    header.U8(static_cast<uint8_t>(operands));
  }
  header.U8(0).Add(std::string("source.c\0\0\0\0\0", 13));
  Bytes table;
  table.U16(4).Sized(header.str()).Add(program);
  return Bytes().Sized(table.str()).str();
}

std::string LineProgram(size_t rows) {
  Bytes program;
  program.U8(0).U8(9).U8(DW_LNE_set_address).U64(kCode);
  program.Add(std::string(rows, '\x20'));
  return program.U8(0).U8(1).U8(DW_LNE_end_sequence).str();
}

// All in one folder, or each in a folder of its own, so that no line table can
// be reused.
TEST(DebugInfoBombTest, UnitsThatShareALineProgram) {
  for (bool same_folder : {true, false}) {
    Abbreviations table;
    table.Add(1, DW_TAG_compile_unit, false,
              With(kLowHigh, {DW_AT_stmt_list, DW_FORM_sec_offset,
                              DW_AT_comp_dir, DW_FORM_string}));
    std::string units;
    for (uint64_t i = 0; i < 300; ++i) {
      units += Unit(Bytes()
                        .U8(1)
                        .U64(kCode + 1024 * i)
                        .U32(1024)
                        .U32(0)
                        .Add(absl::StrCat("/", same_folder ? 0 : i) + '\0')
                        .str());
    }
    const Named named = NameDebug(
        {Section(".debug_abbrev", table.str()), Section(".debug_info", units),
         Section(".debug_line", LineTableOf(LineProgram(950'000)))});
    EXPECT_EQ(named.warnings.size(), same_folder ? 0u : 1u);
  }
}

// 300 functions, each with an inlined function that has all ranges.
TEST(DebugInfoBombTest, InlinedFunctionsThatShareRanges) {
  Abbreviations table;
  table.Add(1, DW_TAG_compile_unit, true, kLowHigh);
  table.Add(2, DW_TAG_subprogram, true, kLowHigh);
  table.Add(3, DW_TAG_inlined_subroutine, false,
            {DW_AT_ranges, DW_FORM_sec_offset});
  Bytes ranges;
  for (uint64_t i = 0; i < 58'000; ++i) {
    ranges.U64(kCode + 16 * i).U64(kCode + 16 * i + 8);
  }
  ranges.U64(0).U64(0);
  Bytes entries;
  entries.U8(1).U64(kCode).U32(1 << 20);
  for (uint64_t i = 0; i < 300; ++i) {
    entries.U8(2).U64(kCode + 1024 * i).U32(1024);
    entries.U8(3).U32(0).U8(0);
  }
  NameDebug({Section(".debug_abbrev", table.str()),
             Section(".debug_info", Unit(entries.U8(0).str())),
             Section(".debug_ranges", ranges.str())});
}

// 300 functions whose pieces alternate, so that their inlined functions are
// looked up in turn.
TEST(DebugInfoBombTest, FunctionsInPiecesBetweenOneAnother) {
  Abbreviations table;
  table.Add(1, DW_TAG_compile_unit, true, kLowHigh);
  table.Add(2, DW_TAG_subprogram, true, {DW_AT_ranges, DW_FORM_sec_offset});
  table.Add(3, DW_TAG_inlined_subroutine, false, kLowHigh);
  constexpr uint64_t kFunctions = 300, kPieces = 66;
  Bytes ranges, entries;
  entries.U8(1).U64(kCode).U32(1 << 20);
  for (uint64_t i = 0; i < kFunctions; ++i) {
    entries.U8(2).U32(static_cast<uint32_t>(ranges.size()));
    for (uint64_t j = 0; j < kPieces; ++j) {
      const uint64_t at = kCode + 16 * (j * kFunctions + i);
      ranges.U64(at).U64(at + 16);
    }
    ranges.U64(0).U64(0);
    for (int j = 0; j < 150; ++j) entries.U8(3).U64(kCode).U32(8);
    entries.U8(0);
  }
  NameDebug({Section(".debug_abbrev", table.str()),
             Section(".debug_info", Unit(entries.U8(0).str())),
             Section(".debug_ranges", ranges.str())});
}

// Each function contains all following functions.
TEST(DebugInfoBombTest, FunctionsWithinFunctions) {
  Abbreviations table;
  table.Add(1, DW_TAG_compile_unit, true, kLowHigh);
  table.Add(2, DW_TAG_subprogram, true, kLowHigh);
  Bytes entries;
  entries.U8(1).U64(kCode).U32(1 << 20);
  for (uint64_t i = 0; i < 70'000; ++i) {
    entries.U8(2).U64(kCode + 16 * i).U32(16);
  }
  NameDebug({Section(".debug_abbrev", table.str()),
             Section(".debug_info", Unit(entries.str()))});
}

// Each address has 1000 frames.
TEST(DebugInfoBombTest, AllCodeInlinedManyTimes) {
  Abbreviations table;
  table.Add(1, DW_TAG_compile_unit, true, kLowHigh);
  table.Add(2, DW_TAG_subprogram, true, kLowHigh);
  table.Add(3, DW_TAG_inlined_subroutine, true,
            With(kLowHigh, {DW_AT_call_line, DW_FORM_data1,
                            DW_AT_abstract_origin, DW_FORM_ref4}));
  table.Add(4, DW_TAG_subprogram, false, {DW_AT_name, DW_FORM_string});
  Bytes entries;
  entries.U8(1).U64(kCode).U32(1 << 20);
  entries.U8(2).U64(kCode).U32(1 << 20);
  constexpr uint32_t kOrigin = 11 + 13 + 13 + 990 * 18 + 990 + 1;
  for (int i = 0; i < 990; ++i) {
    entries.U8(3).U64(kCode).U32(1 << 20).U8(7).U32(kOrigin);
  }
  entries.Add(std::string(991, '\0'));
  entries.U8(4).Add(std::string("inlined\0", 8)).U8(0);
  NameDebug({Section(".debug_abbrev", table.str()),
             Section(".debug_info", Unit(entries.str()))});
}

// Each function's name is the end of the previous function's name.
TEST(DebugInfoBombTest, NamesThatAreEachMostOfTheStrings) {
  Abbreviations table;
  table.Add(1, DW_TAG_compile_unit, true, kLowHigh);
  table.Add(2, DW_TAG_subprogram, false,
            With(kLowHigh, {DW_AT_name, DW_FORM_strp}));
  Bytes entries;
  entries.U8(1).U64(kCode).U32(1 << 20);
  for (uint32_t i = 0; i < 20'000; ++i) {
    entries.U8(2).U64(kCode + 16 * i).U32(16).U32(i);
  }
  NameDebug({Section(".debug_abbrev", table.str()),
             Section(".debug_info", Unit(entries.U8(0).str())),
             Section(".debug_str", std::string(80'000, 'n') + '\0')});
}

TEST(DebugInfoBombTest, PathsThatAreEachMostOfTheStrings) {
  Abbreviations table;
  table.Add(1, DW_TAG_compile_unit, false,
            With(kLowHigh, {DW_AT_stmt_list, DW_FORM_sec_offset, DW_AT_comp_dir,
                            DW_FORM_strp}));
  Bytes header;
  header.U8(1).U8(1).U8(1).U8(0xff).U8(14).U8(10);
  header.Add(std::string("\0\1\1\1\1\0\0\0\1", 9)).U8(0);
  Bytes program;
  program.U8(0).U8(9).U8(DW_LNE_set_address).U64(kCode);
  const std::string path(20, 'p');
  for (uint64_t i = 0; i < 20'000; ++i) {
    header.Add(absl::StrCat(path.substr(i % 20), i) + '\0').U8(0).U16(0);
    program.U8(DW_LNS_set_file).Add(Uleb(i + 1)).U8(DW_LNS_copy);
    program.U8(DW_LNS_advance_pc).U8(16);
  }
  program.U8(0).U8(1).U8(DW_LNE_end_sequence);
  Bytes lines;
  lines.U16(4).Sized(header.U8(0).str()).Add(program.str());
  const std::string unit =
      Unit(Bytes().U8(1).U64(kCode).U32(1 << 20).U32(0).U32(0).str());
  NameDebug({Section(".debug_abbrev", table.str()),
             Section(".debug_info", unit),
             Section(".debug_line", Bytes().Sized(lines.str()).str()),
             Section(".debug_str", '/' + std::string(65'000, 'd') + '\0')});
}

// Looks up the unwind rules of kNameCount addresses of a program with this
// .eh_frame, the last address first.
void FindRules(const std::string& eh_frame, uint64_t at) {
  ASSERT_LE(eh_frame.size(), 1'000'000u);
  const Machine* machine = MachineOf("x86_64", 2);
  TestSource source({TestElf(*machine, {{".eh_frame", at, eh_frame}})});
  const Bounded bounded;
  RuleTable rules;
  DsoCfi cfi(*machine, 0, &source, &rules);
  for (uint64_t i = kNameCount; i > 0; --i) (void)cfi.Find(kCode + 16 * i);
}
constexpr uint32_t kFrames = 0x1000;  // where .eh_frame lies

std::string CommonEntryOf(const std::string& augmentation,
                          const std::string& data, const std::string& program) {
  Bytes common;
  common.U32(0).U8(1).Add(augmentation + '\0').U8(1).U8(0x78).U8(16);
  common.Add(Uleb(data.size()) + data).Add(program);
  return Bytes().Sized(common.str()).str();
}

std::string FunctionOf(uint64_t at, uint64_t common, uint64_t start,
                       uint32_t size, const std::string& program = "") {
  Bytes function;
  function.U32(static_cast<uint32_t>(at + 4 - common));
  function.U32(static_cast<uint32_t>(start - (kFrames + at + 8))).U32(size);
  return Bytes().Sized(function.U8(0).Add(program).str()).str();
}

TEST(UnwindTableBombTest, FunctionsThatShareALongCommonEntry) {
  std::string frames = CommonEntryOf("z" + std::string(250'000, 'R'),
                                     std::string(250'000, '\x1b'),
                                     std::string("\x0c\x07\x08\x90\x01", 5));
  for (uint64_t i = 0; i < 20'000; ++i) {
    frames += FunctionOf(frames.size(), 0, kCode + 16 * i, 16);
  }
  FindRules(frames, kFrames);
}

TEST(UnwindTableBombTest, CommonEntriesOfLongPrograms) {
  std::string frames = CommonEntryOf(
      "zR", "\x1b",
      std::string("\x0c\x07\x08\x90\x01", 5) + std::string(500'000, '\x0a'));
  // DW_CFA_remember_state and DW_CFA_restore_state alternate.
  for (size_t i = frames.size() - 500'000; i + 1 < frames.size(); i += 2) {
    frames[i + 1] = '\x0b';
  }
  for (uint64_t i = 0; i < 20'000; ++i) {
    frames += FunctionOf(frames.size(), 0, kCode + 16 * i, 16);
  }
  FindRules(frames, kFrames);
}

// Each row of the table follows from all rows before it.
TEST(UnwindTableBombTest, AFunctionOfManyRows) {
  std::string frames =
      CommonEntryOf("zR", "\x1b", std::string("\x0c\x07\x08\x90\x01", 5));
  std::string program;
  for (uint64_t i = 0; i < kNameCount; ++i) {
    program += std::string(44, '\0') + '\x50';  // nop; advance_loc 16
  }
  frames += FunctionOf(frames.size(), 0, kCode, 1 << 20, program);
  FindRules(frames, kFrames);
}

}  // namespace
}  // namespace perf2x
