// SPDX-License-Identifier: Apache-2.0

// The table of a stripped Go program, of every version, byte order and pointer
// size.
#include "converter/symbolize/elf/go_table.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "converter/symbolize/elf/elf_symbolizer.h"
#include "converter/symbolize/elf/go_lines.h"
#include "tests/unwind/test_elf.h"

namespace perf2x {
namespace {

constexpr uint64_t kText = 0x1000, kTrees = 0x2000, kModule = 0x3000,
                   kTable = 0x4000;

struct Kind {
  uint32_t magic;
  const char* arch;
  int version;  // of the machine, see MachineOf
  uint8_t quantum;
  // Of moduledata; Go 1.18, 1.20 and 1.27 have it there.
  int functions_data_index = 0;
};

std::string Number(uint32_t n) {
  std::string out;
  for (; n >= 0x80; n >>= 7) out += static_cast<char>(n | 0x80);
  return out + static_cast<char>(n);
}

// Values with the bytes of code that have them.
std::string Values(const std::vector<std::pair<int32_t, uint32_t>>& values,
                   uint8_t quantum) {
  std::string out;
  int32_t last = -1;
  for (const auto& [value, bytes] : values) {
    const int32_t change = value - last;
    last = value;
    out += Number(static_cast<uint32_t>(change << 1) ^
                  static_cast<uint32_t>(change >> 31));
    out += Number(bytes / quantum);
  }
  return out + '\0';
}

// Builds a program of two functions: main.main, into whose code main.add is
// inlined, into which main.mul is; and main.work.
class GoProgram {
 public:
  explicit GoProgram(const Kind& kind)
      : kind_(kind),
        machine_(*MachineOf(kind.arch, kind.version)),
        word_(machine_.address_size) {}

  // Sets where main.add is called, an offset in main.main.
  void set_caller_of_add(uint32_t offset) { caller_of_add_ = offset; }

  std::string Image(const std::string& section = ".gopclntab") {
    const std::string table = Table();
    Bytes module(machine_.order);
    std::map<int, uint64_t> words = {
        {0, kTable}, {1, names_at_}, {22, kText}, {30, 0x1080}, {37, 0x1fc0}};
    words[kind_.functions_data_index] = kTrees;
    words[0] = kTable;
    for (int i = 0; i < 70; ++i) module.Word(words[i], word_);
    return TestElf(machine_,
                   {{".text", kText, std::string(0x80, '\x90'), SHF_EXECINSTR},
                    {".rodata", kTrees, Trees()},
                    {".noptrdata", kModule, module.str()},
                    {".go.buildinfo", 0x3f00, "buildinfo"},
                    {section, kTable, table}});
  }

 private:
  bool is12() const { return kind_.magic == 0xfffffffb; }
  bool has_offsets() const { return kind_.magic >= 0xfffffff0 && !is_old(); }
  bool is_old() const { return is12() || kind_.magic == 0xfffffffa; }
  bool has_start_lines() const { return kind_.magic == 0xfffffff1; }

  // In names_: offsets of main.main, main.add, main.mul, main.work.
  uint32_t Name(const std::string& name) {
    const size_t at = names_.find(name + '\0');
    return static_cast<uint32_t>(at + (is12() ? names_in_table_ : 0));
  }
  std::string Trees() {
    Bytes out(machine_.order);
    out.Add(std::string(8, '\7'));
    for (const auto& [name, caller] :
         {std::make_pair("main.add", caller_of_add_),
          std::make_pair("main.mul", 0x24u)}) {
      if (has_start_lines()) {
        out.U32(0).U32(Name(name)).U32(caller).U32(caller + 1);
      } else {
        out.U16(0).U16(0).U32(0).U32(0).U32(Name(name)).U32(caller);
      }
    }
    return out.str();
  }
  // One _func whose trees, if any, are at kTrees + 8.
  std::string Func(uint64_t start, const std::string& name, uint32_t lines,
                   bool trees, uint64_t at) {
    Bytes out(machine_.order);
    const uint32_t values = values_at_;
    has_offsets() ? out.U32(static_cast<uint32_t>(start - kText))
                  : out.Word(start, word_);
    out.U32(Name(name)).U32(0).U32(0).U32(0);
    out.U32(values + (trees ? 1 : 1 + files_size_)).U32(values + lines).U32(3);
    if (!is12()) out.U32(0);
    if (has_start_lines()) out.U32(9);
    const uint8_t count = is12() ? 6 : 4;
    out.U8(0).U16(0).U8(count);
    out.U32(0).U32(0).U32(trees ? values + calls_at_ : 0);
    const int which = is12() ? 4 : 3;
    if (!has_offsets()) {
      while ((at + out.size()) % word_ != 0) out.U32(0);
    }
    for (int i = 0; i < count; ++i) {
      const bool here = trees && i == which;
      if (has_offsets()) {
        out.U32(here ? 8 : ~0u);
      } else {
        out.Word(here ? kTrees + 8 : 0, word_);
      }
    }
    return out.Align(8).str();
  }

  std::string Table() {
    names_ = std::string("main.main\0main.add\0main.mul\0main.work\0", 38);
    const std::string files("/src/main.go\0/src/mul.go\0", 25);
    // File numbers count from 1 in Go 1.2.
    const int32_t first = is12() ? 1 : 0;
    const uint8_t q = kind_.quantum;
    std::string values(1, '\0');
    const std::string main_files =
        Values({{first, 0x10}, {first + 1, 0x10}, {first, 0x20}}, q);
    files_size_ = static_cast<uint32_t>(main_files.size());
    values += main_files + Values({{first, 0x40}}, q);
    const auto lines_at = static_cast<uint32_t>(values.size());
    values += Values({{10, 0x10}, {5, 0x10}, {21, 0x10}, {11, 0x10}}, q);
    calls_at_ = static_cast<uint32_t>(values.size());
    values += Values({{-1, 0x10}, {1, 0x10}, {0, 0x10}, {-1, 0x10}}, q);
    const auto work_at = static_cast<uint32_t>(values.size());
    values += Values({{300, 0x40}}, q);
    const auto put_funcs = [&](Bytes* out, uint64_t before, uint64_t base) {
      const size_t table = 5 * (has_offsets() ? 4u : word_);
      const uint64_t first_at = (before + table + (is12() ? 4 : 0) + 7) / 8 * 8;
      const std::string a =
          Func(kText, "main.main", lines_at, true, base + first_at);
      const std::string b = Func(kText + 0x40, "main.work", work_at, false,
                                 base + first_at + a.size());
      for (const auto& [start, at] :
           {std::make_pair(kText, first_at),
            std::make_pair(kText + 0x40, first_at + a.size())}) {
        has_offsets() ? out->U32(static_cast<uint32_t>(start - kText))
                            .U32(static_cast<uint32_t>(at))
                      : out->Word(start, word_).Word(at, word_);
      }
      has_offsets() ? out->U32(0x80) : out->Word(kText + 0x80, word_);
      return a + b;
    };

    Bytes out(machine_.order);
    out.U32(kind_.magic).U16(0).U8(q).U8(static_cast<uint8_t>(word_));
    out.Word(2, word_);
    if (is12()) {
      // All behind the functions, at places that do not depend on them.
      names_in_table_ = 0x400;
      names_at_ = kTable + 0x400;
      values_at_ = 0x600;
      const std::string funcs = put_funcs(&out, out.size(), kTable);
      out.U32(0x500).Align(8).Add(funcs);
      out.Align(0x400).Add(names_).Align(0x500);
      out.U32(3).U32(0x580).U32(0x580 + 13);
      std::string all = out.str();
      all.resize(0x580);
      all += files;
      all.resize(0x600);
      return all + values;
    }
    out.Word(2, word_);
    if (has_offsets()) out.Word(kText, word_);
    const uint64_t names_offset = out.size() + 5 * word_;
    const auto aligned = [](uint64_t n) { return (n + 7) / 8 * 8; };
    const uint64_t units = aligned(names_offset + names_.size());
    const uint64_t files_at = aligned(units + 8);
    const uint64_t values_at = aligned(files_at + files.size());
    const uint64_t funcs_at = aligned(values_at + values.size());
    for (uint64_t at : {names_offset, units, files_at, values_at, funcs_at}) {
      out.Word(at, word_);
    }
    names_at_ = kTable + names_offset;
    out.Add(names_).Align(8).U32(0).U32(13).Align(8).Add(files).Align(8);
    out.Add(values).Align(8);
    Bytes table(machine_.order);
    const std::string funcs = put_funcs(&table, 0, kTable + funcs_at);
    return out.Add(table.Align(8).str()).Add(funcs).str();
  }

  const Kind kind_;
  const Machine machine_;
  const size_t word_;
  std::string names_;
  uint32_t caller_of_add_ = 0x08;
  uint64_t names_at_ = 0, names_in_table_ = 0;
  uint32_t values_at_ = 0, files_size_ = 0, calls_at_ = 0;
};

// The frames at an address of the image: "name file:line(start line)".
std::string FramesAt(const std::string& image, uint64_t address,
                     bool inlines = true) {
  SymbolizeOptions options;
  options.binaries.buildid_dir = "/nonexistent";
  options.binaries.debug_dirs.clear();
  options.inlines = inlines;
  const BinaryFinder finder(options.binaries);
  WorkerPool workers(1);
  DsoReport report;
  auto elf = OpenElf(image);
  if (elf == nullptr) return "";
  auto symbolizer = MakeElfSymbolizer(options, finder, std::move(elf), {},
                                      std::nullopt, workers, &report);
  std::string out;
  symbolizer->Resolve(
      Dso(), {&address, 1}, [&](size_t, absl::Span<const Symbol> symbols) {
        out =
            absl::StrJoin(symbols, " < ", [](std::string* to, const Symbol& s) {
              absl::StrAppend(to, s.name, " ", s.file, ":", s.line, "(",
                              s.start_line, ")");
            });
      });
  return out;
}

class GoTableTest : public testing::TestWithParam<Kind> {};

INSTANTIATE_TEST_SUITE_P(
    Kinds, GoTableTest,
    testing::Values(
        Kind{0xfffffffb, "x86_64", 2, 1}, Kind{0xfffffffb, "s390x", 2, 2},
        Kind{0xfffffffb, "i386", 1, 1}, Kind{0xfffffffa, "x86_64", 2, 1},
        Kind{0xfffffffa, "s390x", 2, 2}, Kind{0xfffffffa, "i386", 1, 1},
        Kind{0xfffffff0, "x86_64", 2, 1, 38},
        Kind{0xfffffff0, "s390x", 2, 2, 38}, Kind{0xfffffff0, "i386", 1, 1, 38},
        Kind{0xfffffff1, "x86_64", 2, 1, 40},
        Kind{0xfffffff1, "aarch64", 2, 4, 43},
        Kind{0xfffffff1, "s390x", 2, 2, 43}, Kind{0xfffffff1, "arm", 1, 4, 40}),
    [](const auto& test) {
      return absl::StrCat(absl::Hex(test.param.magic), test.param.arch, "_",
                          test.param.functions_data_index);
    });

TEST_P(GoTableTest, NamesFunctionsFilesLinesAndInlinedCalls) {
  const std::string image = GoProgram(GetParam()).Image();
  const bool starts = GetParam().magic == 0xfffffff1;
  const std::string main = starts ? "(9)" : "(0)";
  const std::string add = starts ? "(9)" : "(0)";
  const std::string mul = starts ? "(37)" : "(0)";
  EXPECT_EQ(FramesAt(image, 0x1000), "main.main /src/main.go:10" + main);
  EXPECT_EQ(FramesAt(image, 0x100f), "main.main /src/main.go:10" + main);
  EXPECT_EQ(FramesAt(image, 0x1010), "main.mul /src/mul.go:5" + mul +
                                         " < main.add /src/main.go:21" + add +
                                         " < main.main /src/main.go:10" + main);
  EXPECT_EQ(FramesAt(image, 0x1024), "main.add /src/main.go:21" + add +
                                         " < main.main /src/main.go:10" + main);
  EXPECT_EQ(FramesAt(image, 0x1030), "main.main /src/main.go:11" + main);
  EXPECT_EQ(FramesAt(image, 0x1040), "main.work /src/main.go:300" + main);
  EXPECT_EQ(FramesAt(image, 0x107f), "main.work /src/main.go:300" + main);
  EXPECT_EQ(FramesAt(image, 0x1080), "");
  // 0xfff may stand for a frame at 0x1000 that no call returns to.
  EXPECT_EQ(FramesAt(image, 0xffe), "");
  // The function itself with the line that calls what was inlined.
  EXPECT_EQ(FramesAt(image, 0x1014, /*inlines=*/false),
            "main.main /src/main.go:10" + main);
}

TEST_P(GoTableTest, CallsInlinedIntoThemselvesAreShownOnce) {
  GoProgram program(GetParam());
  program.set_caller_of_add(0x24);  // in main.add itself
  const std::string start = GetParam().magic == 0xfffffff1 ? "(37)" : "(0)";
  const std::string main = GetParam().magic == 0xfffffff1 ? "(9)" : "(0)";
  EXPECT_EQ(FramesAt(program.Image(), 0x1024),
            "main.add /src/main.go:21" + start +
                " < main.main /src/main.go:21" + main);
}

TEST_P(GoTableTest, TheFilePaysForTheSearchAndForFrames) {
  const std::shared_ptr<const ElfFile> elf =
      OpenElf(GoProgram(GetParam()).Image());
  const auto table = GoTable::Open(elf);
  ASSERT_NE(table, nullptr);
  const uint64_t searched = table->budget().used(Budget::kWork);
  GoLines lines(table);
  std::vector<DwarfFrame> frames;
  lines.Find(0x1010, true, &frames);
  EXPECT_EQ(frames.size(), 3u);
  EXPECT_GE(table->budget().used(Budget::kWork), searched + 2 * 8);
  EXPECT_EQ(table->budget().used(Budget::kMemory), 3 * sizeof(DwarfFrame));
  table->budget().Spend(Budget::kMemory, uint64_t{1} << 40);
  frames.clear();
  lines.Find(0x1010, true, &frames);
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_EQ(frames[0].name, "main.main");
  EXPECT_TRUE(frames[0].file.empty());
  EXPECT_FALSE(lines.skipped().empty());
}

TEST_P(GoTableTest, IsFoundInASectionOfAnotherName) {
  const std::string image = GoProgram(GetParam()).Image(".data.rel.ro");
  EXPECT_EQ(FramesAt(image, 0x1040).substr(0, 26),
            "main.work /src/main.go:300");
}

TEST_P(GoTableTest, DamageIsSurvived) {
  const std::string whole = GoProgram(GetParam()).Image();
  for (size_t at = kTrees; at < whole.size(); ++at) {
    if (whole[at] == 0 && at % 16 != 0) continue;
    for (const char bits : {'\xff', '\x80', '\x01'}) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ bits);
      FramesAt(damaged, 0x1010);
    }
  }
  for (size_t size = kTable; size < whole.size(); size += 7) {
    std::string cut = whole;
    // What is cut off the end of the segment: zeros, then nothing.
    cut.replace(size, cut.size() - size, cut.size() - size, '\xff');
    FramesAt(cut, 0x1010);
  }
}

}  // namespace
}  // namespace perf2x
