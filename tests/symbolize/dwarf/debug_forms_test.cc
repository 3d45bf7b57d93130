// SPDX-License-Identifier: Apache-2.0

// One program with its debug information in every form that is read, see
// data/make.sh; and the same files damaged.
#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "converter/symbolize/dwarf/dwarf_info.h"
#include "converter/symbolize/elf/elf_symbolizer.h"
#include "converter/symbolize/symbolize.h"
#include "tests/support/file_bytes.h"
#include "tests/support/temp_folder.h"

namespace perf2x {
namespace {

namespace fs = std::filesystem;

const char kData[] = "tests/symbolize/data";

std::string Read(const std::string& name) {
  const std::string text = FileText(absl::StrCat(kData, "/", name));
  EXPECT_FALSE(text.empty()) << name;
  return text;
}

// A folder with some of the files in it, to be found or not.
class Folder {
 public:
  explicit Folder(const std::vector<std::string>& files) {
    for (const std::string& file : files) {
      fs::copy(absl::StrCat(kData, "/", file), dir());
    }
  }
  const std::string& dir() const { return temp_.path(); }

 private:
  TempFolder temp_;
};

std::string TextOf(absl::Span<const Symbol> symbols) {
  std::string out;
  for (const Symbol& s : symbols) {
    const size_t slash = s.file.rfind('/');
    absl::StrAppend(&out, out.empty() ? "" : " < ", s.name, " ",
                    s.file.substr(slash == s.file.npos ? 0 : slash + 1), ":",
                    s.line, ":", s.start_line);
  }
  return out;
}

SymbolizeOptions In(const std::string& symfs) {
  SymbolizeOptions options;
  options.binaries.symfs = symfs;
  options.binaries.debug_dirs = {"/debug"};
  options.binaries.buildid_dir = "/nonexistent";
  return options;
}

// The chains at all offsets of the program, one a line, and its report.
std::string Chains(const std::vector<std::string>& files, DsoReport* report,
                   SymbolizeOptions (*options)(const std::string&) = In) {
  Folder folder(files);
  auto symbolizer = MakeSymbolizer(options(folder.dir()));
  Dso file;
  file.kind = DsoKind::kFile;
  file.name = absl::StrCat("/", files[0]);
  std::vector<uint64_t> offsets;
  for (uint64_t at = 0x230; at < 0x230 + 0x63; ++at) offsets.push_back(at);
  std::string out;
  symbolizer->Resolve(
      file, offsets, [&](size_t i, absl::Span<const Symbol> symbols) {
        absl::StrAppend(&out, offsets[i], " ", TextOf(symbols), "\n");
      });
  *report = symbolizer->Reports().at(0);
  return out;
}

std::string ChainAt(const std::string& chains, int offset) {
  const size_t at = chains.find(absl::StrCat(offset, " "));
  return at == chains.npos ? "" : chains.substr(at, chains.find('\n', at) - at);
}

TEST(DebugFormsTest, ChainsLinesAndStartLines) {
  DsoReport report;
  const std::string chains = Chains({"gcc-dwarf5"}, &report);
  EXPECT_EQ(ChainAt(chains, 0x230),
            "560 demo::Leaf chains.cc:8:7 < demo::Shape::Area chains.cc:13:13"
            " < demo::Outer chains.cc:24:22");
  EXPECT_EQ(ChainAt(chains, 0x240),
            "576 demo::Leaf chains.cc:8:7 < demo::Shape::Area chains.cc:13:13"
            " < operator() chains.cc:25:0"
            " < Twice<demo::Outer(int)::<lambda(int)> > chains.cc:19:18"
            " < demo::Outer chains.cc:25:22");
  ASSERT_EQ(report.sources.size(), 1u);
  EXPECT_EQ(report.symbolized_count, 0x63u - report.unsymbolized_count);
  EXPECT_TRUE(report.warnings.empty());
}

// Clang has the line of a lambda's function in its declaration alone, and the
// linkage name in its definition alone.
TEST(DebugFormsTest, TheDeclarationHasTheStartLine) {
  DsoReport report;
  const std::string chains = Chains({"clang-dwarf5"}, &report);
  EXPECT_THAT(chains, testing::HasSubstr("::operator() chains.cc:25:25"));
  EXPECT_THAT(chains,
              testing::Not(testing::HasSubstr("operator() chains.cc:25:0")));
}

TEST(DebugFormsTest, EveryFormGivesTheSame) {
  DsoReport report;
  const std::string expected = Chains({"gcc-dwarf5"}, &report);
  const std::vector<std::vector<std::string>> forms = {
      {"gcc-dwarf2"},
      {"gcc-dwarf3"},
      {"gcc-dwarf4"},
      {"gcc-zlib"},
      {"gcc-zdebug"},
      {"separate", "separate.debug"},
      {"split4", "split4.dwo"},
      {"split5", "split5.dwo"},
      {"package4", "package4.dwp"},
      {"package5", "package5.dwp"},
      {"dwz1", "dwz.common"},
  };
  for (const auto& files : forms) {
    EXPECT_EQ(Chains(files, &report), expected) << files[0];
    EXPECT_TRUE(report.warnings.empty()) << files[0];
  }
}

TEST(DebugFormsTest, WhatIsMissingIsSaid) {
  DsoReport report;
  for (const char* file : {"split4", "split5", "package5", "dwz1"}) {
    const std::string chains = Chains({file}, &report);
    EXPECT_EQ(report.warnings.size(), 1u) << file;
    // Names and lines are there nevertheless.
    EXPECT_NE(ChainAt(chains, 0x230).find("demo::Outer chains.cc:"),
              std::string::npos)
        << file << ChainAt(chains, 0x230);
  }
  EXPECT_EQ(ChainAt(Chains({"separate"}, &report), 0x230), "");
}

TEST(DebugFormsTest, MiniDebugInformationHasNames) {
  DsoReport report;
  const std::string chains = Chains({"mini"}, &report);
  EXPECT_EQ(ChainAt(chains, 0x230), "560 demo::Outer :0:0");
  EXPECT_EQ(report.sources.size(), 1u);
}

// A kernel module: not linked, at a place that only the recording tells.
TEST(DebugFormsTest, ModulesHaveChainsAndLines) {
  for (const char* module :
       {"module64.ko", "module64.ko.xz", "module64.ko.zst", "module32.ko"}) {
    Folder folder({module});
    auto symbolizer = MakeSymbolizer(In(folder.dir()));
    Dso file;
    file.kind = DsoKind::kKernelModule;
    file.name = absl::StrCat("/", module);
    file.start = 0xffffffffc0123000;
    const uint64_t addresses[] = {file.start, file.start + 0x41};
    std::vector<std::string> found;
    symbolizer->Resolve(file, addresses,
                        [&](size_t, absl::Span<const Symbol> symbols) {
                          found.push_back(TextOf(symbols));
                        });
    ASSERT_EQ(found.size(), 2u) << module;
    EXPECT_EQ(found[1].substr(0, found[1].find(':')), "plain_c chains.cc");
    if (absl::StrContains(module, "64")) {
      EXPECT_EQ(found[0],
                "demo::Leaf chains.cc:8:7 < demo::Shape::Area chains.cc:13:13"
                " < demo::Outer chains.cc:24:22");
    }
    EXPECT_EQ(symbolizer->Reports()[0].symbolized_count, 2u);
  }
}

// A table names a module's functions; the module's file adds to those that it
// has at the same place.
TEST(DebugFormsTest, ModulesInKallsymsHaveChainsAndLinesToo) {
  Folder folder({"module64.ko"});
  const std::string kallsyms = folder.dir() + "/kallsyms";
  std::ofstream(kallsyms) << "ffffffffc0123000 t _ZN4demo5OuterEi\t[module64]\n"
                             "ffffffffc0123040 t of_another_build\t[module64]\n"
                             "ffffffffc0123060 t _start\t[module64]\n";
  SymbolizeOptions options = In(folder.dir());
  options.kallsyms = kallsyms;
  Dso file;
  file.kind = DsoKind::kKernelModule;
  file.name = "/module64.ko";
  file.start = 0xffffffffc0123000;
  const uint64_t addresses[] = {file.start, file.start + 0x41};
  auto names = [&] {
    std::vector<std::string> found;
    MakeSymbolizer(options)->Resolve(
        file, addresses, [&](size_t, absl::Span<const Symbol> symbols) {
          found.push_back(TextOf(symbols));
        });
    return found;
  };
  EXPECT_THAT(names(),
              testing::ElementsAre(
                  "demo::Leaf chains.cc:8:7 < demo::Shape::Area chains.cc:13:13"
                  " < demo::Outer chains.cc:24:22",
                  "of_another_build :0:0"));
  options.lines = options.inlines = false;
  EXPECT_THAT(names(), testing::ElementsAre("_ZN4demo5OuterEi :0:0",
                                            "of_another_build :0:0"));
}

TEST(DebugFormsTest, InlinesAndLinesCanBeLeftOut) {
  DsoReport report;
  EXPECT_EQ(ChainAt(Chains({"gcc-dwarf5"}, &report,
                           [](const std::string& dir) {
                             SymbolizeOptions o = In(dir);
                             o.inlines = false;
                             return o;
                           }),
                    0x230),
            "560 demo::Outer chains.cc:24:22");
  EXPECT_EQ(ChainAt(Chains({"gcc-dwarf5"}, &report,
                           [](const std::string& dir) {
                             SymbolizeOptions o = In(dir);
                             o.inlines = o.lines = false;
                             return o;
                           }),
                    0x230),
            "560 demo::Outer :0:0");
}

// What is inlined or included has lines of other files.
TEST(DebugFormsTest, WithoutInlinesAFunctionHasOneFile) {
  DsoReport report;
  const auto without_inlines = [](const std::string& dir) {
    SymbolizeOptions o = In(dir);
    o.inlines = false;
    return o;
  };
  const std::string with = Chains({"own"}, &report);
  EXPECT_THAT(with, testing::HasSubstr("Leaf own.h:4:3 < outer own.cc:6:5\n"));
  // The function starts in another file than this line is of.
  EXPECT_THAT(with, testing::HasSubstr(" outer own.inc:1:0\n"));
  std::set<std::string> found;
  for (absl::string_view line :
       absl::StrSplit(Chains({"own"}, &report, without_inlines), '\n')) {
    const size_t name = line.find("outer");
    if (name != line.npos) found.insert(std::string(line.substr(name)));
  }
  EXPECT_THAT(found,
              testing::ElementsAre("outer own.cc:0:5", "outer own.cc:6:5",
                                   "outer own.cc:9:5"));
}

// 0x24f lies before _start, in padding, behind which no call returns: what has
// _start for a caller got there without a call.
TEST(DebugFormsTest, WhatNoCallReturnsToHasTheLineOfItsFirstInstruction) {
  DsoReport report;
  const std::string chains = Chains({"own"}, &report);
  EXPECT_EQ(ChainAt(chains, 0x24f), "591 _start own.cc:12:11");
}

// This program's own code, on one thread and on several.
TEST(DebugFormsTest, ThreadsDoNotChangeAnswers) {
  auto file = SafeFile::Open(fs::read_symlink("/proc/self/exe").string());
  ASSERT_TRUE(file.ok());
  auto elf = ElfFile::Open(*file);
  ASSERT_TRUE(elf.ok());
  std::vector<uint64_t> offsets;
  for (const ElfFile::Segment& s : (*elf)->segments()) {
    for (uint64_t at = 0; s.flags == (PF_R | PF_X) && at < s.file_size;
         at += s.file_size / 10000 + 1) {
      offsets.push_back(s.offset + at);
    }
  }
  ASSERT_GT(offsets.size(), 5000u);
  Dso code;
  code.kind = DsoKind::kFile;
  code.name = (*file)->path();
  std::string first;
  for (int threads : {1, 2, 5}) {
    SymbolizeOptions options = In("");
    options.binaries.same_host = true;
    WorkerPool workers(threads);
    options.workers = &workers;
    std::string all;
    MakeSymbolizer(options)->Resolve(
        code, offsets, [&](size_t i, absl::Span<const Symbol> symbols) {
          absl::StrAppend(&all, i, " ", TextOf(symbols), "\n");
        });
    EXPECT_GT(all.size(), 100000u);
    if (threads == 1) first = all;
    EXPECT_TRUE(all == first) << threads;
  }
}

// Names what it can in damaged files; gives how many chains there were.
size_t Survive(const std::string& binary, const std::string& alternate = "") {
  auto parse = [](const std::string& bytes) -> std::unique_ptr<ElfFile> {
    if (bytes.empty()) return nullptr;
    auto elf = ElfFile::Open(SafeFile::FromMemory("/damaged", bytes));
    return elf.ok() ? *std::move(elf) : nullptr;
  };
  auto elf = parse(binary);
  if (elf == nullptr) return 0;
  elf->build_id();
  elf->debug_link();
  const SymbolizeOptions options = In("/nonexistent");
  const BinaryFinder finder(options.binaries);
  DsoReport report;
  std::vector<uint64_t> offsets;
  // Modules are addressed from the start of their code.
  const bool module = elf->type() == ET_REL;
  const uint64_t first = module ? 0 : 0x200;
  const uint64_t delta = module ? ElfFile::kTextOfRelocatable : 0;
  for (uint64_t at = 0; at < 0x100; at += 3) offsets.push_back(first + at);
  size_t found = 0;
  auto count = [&](size_t, absl::Span<const Symbol> symbols) {
    for (const Symbol& s : symbols) {
      found += s.name.size() + s.file.size() > 0 ? 1 : 0;
    }
  };
  WorkerPool workers(1);
  auto symbolizer = MakeElfSymbolizer(
      options, finder, parse(binary), {},
      module ? std::optional<uint64_t>(delta) : std::nullopt, workers, &report);
  symbolizer->Resolve(Dso(), offsets, count);
  // What split and shared parts go through.
  DwarfCompanions companions;
  companions.alternate = parse(alternate);
  companions.package = parse(alternate);
  companions.open_dwo = [&](absl::string_view, absl::string_view) {
    return std::shared_ptr<const ElfFile>(parse(alternate));
  };
  if (auto file = DwarfFile::Open(std::move(elf), std::move(companions))) {
    DwarfInfo dwarf(std::move(file));
    std::vector<DwarfFrame> frames;
    for (uint64_t at : offsets) dwarf.Find(at + delta, true, &frames);
    found += frames.size();
  }
  return found;
}

const std::vector<std::pair<std::string, std::string>>& Files() {
  static const auto& files =
      *new std::vector<std::pair<std::string, std::string>>{
          {"gcc-dwarf2", ""},
          {"gcc-dwarf5", ""},
          {"clang-dwarf5", ""},
          {"clang-i386", ""},
          {"module64.ko", ""},
          {"module32.ko", ""},
          {"gcc-zlib", ""},
          {"gcc-zdebug", ""},
          {"mini", ""},
          {"separate.debug", ""},
          {"split4", "split4.dwo"},
          {"split5", "split5.dwo"},
          {"package5", "package5.dwp"},
          {"dwz1", "dwz.common"}};
  return files;
}

TEST(DamagedFilesTest, CutAnywhere) {
  for (const auto& [name, other] : Files()) {
    const std::string whole = Read(name);
    const std::string beside = other.empty() ? "" : Read(other);
    EXPECT_GT(Survive(whole, beside), 0u) << name;
    // The ends of all sections, and places within them.
    std::set<size_t> cuts;
    auto elf = ElfFile::Open(SafeFile::FromMemory(name, whole));
    ASSERT_TRUE(elf.ok());
    for (const auto& s : (*elf)->sections()) {
      for (size_t at : {s.offset, s.offset + s.size / 2, s.offset + s.size}) {
        if (at <= whole.size()) cuts.insert(at);
      }
    }
    for (size_t at = 0; at < whole.size(); at += 97) cuts.insert(at);
    for (size_t at : cuts) Survive(whole.substr(0, at), beside);
    for (size_t at = 0; at < beside.size(); at += 31) {
      Survive(whole, beside.substr(0, at));
    }
  }
}

TEST(DamagedFilesTest, FlippedBytes) {
#ifdef PERF2X_SANITIZED
  constexpr size_t kStep = 31;  // look-ups are slow
#else
  constexpr size_t kStep = 5;
#endif
  for (const auto& [name, other] : Files()) {
    const std::string whole = Read(name);
    const std::string beside = other.empty() ? "" : Read(other);
    // Steps that do not divide the sizes of structures, so that all fields are
    // hit; three faults each.
    for (size_t at = 0; at < whole.size(); at += kStep) {
      for (int fault : {0x01, 0x80, 0xff}) {
        std::string flipped = whole;
        flipped[at] = static_cast<char>(flipped[at] ^ fault);
        Survive(flipped, beside);
      }
    }
    for (size_t at = 0; at < beside.size(); at += 3) {
      std::string flipped = beside;
      flipped[at] = static_cast<char>(~flipped[at]);
      Survive(whole, flipped);
    }
  }
}

// Sections swapped for one another and offsets that lead into other parts.
TEST(DamagedFilesTest, SectionsOfOtherFiles) {
  for (const auto& [name, other] : Files()) {
    for (const auto& [second, ignored] : Files()) {
      Survive(Read(name), Read(second));
    }
  }
}

}  // namespace
}  // namespace perf2x
