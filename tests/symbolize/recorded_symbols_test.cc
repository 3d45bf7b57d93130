// SPDX-License-Identifier: Apache-2.0
#include "converter/symbolize/recorded_symbols.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "converter/symbolize/elf/symbol_index.h"
#include "converter/symbolize/symbolize.h"

namespace perf2x {
namespace {

using Lines = std::vector<std::string>;
using Space = RecordedSymbols::Space;
using Addresses = RecordedSymbols::Addresses;

Dso MakeDso(DsoKind kind, const std::string& name, uint64_t start = 0) {
  Dso dso;
  dso.kind = kind;
  dso.name = name;
  dso.start = start;
  return dso;
}

RecordedSymbols::File MakeFile(absl::string_view path, Space space,
                               Addresses addresses) {
  RecordedSymbols::File file;
  file.path = path;
  file.space = space;
  file.addresses = addresses;
  return file;
}

Lines NamesAt(const RecordedSymbols& symbols, const Dso& dso,
              const std::vector<uint64_t>& addresses) {
  Lines lines(addresses.size(), "-");
  symbols.Find(dso, addresses, [&](size_t i, absl::string_view name) {
    lines[i] = std::string(name);
  });
  return lines;
}

TEST(RecordedSymbolsTest, OfElfFiles) {
  RecordedSymbols symbols;
  EXPECT_TRUE(symbols.empty());
  const auto file = symbols.AddFile(
      {.path = "/a", .min_address = 0x2000, .min_address_offset = 0x1000});
  symbols.AddSymbol(file, 0x2010, 0x10, "f");
  symbols.AddSymbol(file, 0x2000, 0x10, "e");
  const Dso dso = MakeDso(DsoKind::kFile, "/a");
  EXPECT_TRUE(symbols.Has(dso));
  EXPECT_FALSE(symbols.Has(MakeDso(DsoKind::kFile, "/b")));
  EXPECT_FALSE(symbols.Has(MakeDso(DsoKind::kKernelModule, "/a")));
  EXPECT_EQ(NamesAt(symbols, dso, {0xfff, 0x1000, 0x100f, 0x1010, 0x1020}),
            (Lines{"-", "e", "e", "f", "-"}));
  EXPECT_GT(symbols.memory(), 0u);
}

// In old recordings, code starts where its mapping does.
TEST(RecordedSymbolsTest, WithoutOffsetInTheFile) {
  RecordedSymbols symbols;
  const auto file = symbols.AddFile(
      {.path = "/a", .min_address = 0x2000, .min_address_offset = {}});
  symbols.AddSymbol(file, 0x2010, 0x10, "f");
  symbols.OnMap("/a", 0x5000, 0x1000);
  symbols.OnMap("/a", 0, 0x3000);
  symbols.OnMap("/a", 0x3000, 0x2000);
  EXPECT_EQ(NamesAt(symbols, MakeDso(DsoKind::kFile, "/a"),
                    {0x10, 0x2010, 0x3010, 0x5020}),
            (Lines{"f", "-", "f", "-"}));
}

TEST(RecordedSymbolsTest, FunctionsWithoutSize) {
  RecordedSymbols symbols;
  const auto kernel = symbols.AddFile(
      MakeFile("[kernel.kallsyms]", Space::kKernel, Addresses::kRunTime));
  symbols.AddSymbol(kernel, 0x9000, 0, "last");
  symbols.AddSymbol(kernel, 0x1000, 0, "first");
  const Dso dso = MakeDso(DsoKind::kKernel, "[kernel.kallsyms]");
  EXPECT_EQ(NamesAt(symbols, dso, {0x8fff, 0x9fff, 0xa000}),
            (Lines{"first", "last", "-"}));
}

// Functions come and are looked up in turn, at any place among the others.
TEST(RecordedSymbolsTest, OfOneAddressTheLastCounts) {
  RecordedSymbols symbols;
  const auto file =
      symbols.AddFile(MakeFile("/jit", Space::kUser, Addresses::kRunTime));
  const auto all = [&] {
    Lines lines;
    symbols.ForEachIn("/jit", 0, 0x10000, [&](const auto& f) {
      lines.push_back(absl::StrCat(f.name, " ", f.start, " ", f.end));
      return true;
    });
    return lines;
  };
  symbols.AddSymbol(file, 300, 0, "c");
  symbols.AddSymbol(file, 100, 0, "a");
  EXPECT_EQ(all(), (Lines{"a 100 300", "c 300 4396"}));
  symbols.AddSymbol(file, 200, 0, "b");
  EXPECT_EQ(all(), (Lines{"a 100 200", "b 200 300", "c 300 4396"}));
  const uint64_t memory = symbols.memory();
  symbols.AddSymbol(file, 100, 8, "A");
  EXPECT_EQ(all(), (Lines{"A 100 108", "b 200 300", "c 300 4396"}));
  EXPECT_EQ(symbols.memory(), memory);
}

TEST(RecordedSymbolsTest, OfModules) {
  RecordedSymbols symbols;
  const auto kernel = symbols.AddFile(
      MakeFile("[kernel.kallsyms]", Space::kKernel, Addresses::kRunTime));
  symbols.AddSymbol(kernel, 0xf0000, 0x10, "from_kallsyms");
  const auto module = symbols.AddFile({.path = "/m.ko",
                                       .space = Space::kKernel,
                                       .min_address = 0x10,
                                       .min_address_offset = 0x1000});
  symbols.AddSymbol(module, 0x20, 0x10, "of_module");
  const Dso dso = MakeDso(DsoKind::kKernelModule, "/m.ko", 0xe0000);
  EXPECT_EQ(NamesAt(symbols, dso, {0xe1010, 0xf0004}),
            (Lines{"of_module", "from_kallsyms"}));
}

TEST(RecordedSymbolsTest, OfPerfMapsAndDexFiles) {
  RecordedSymbols symbols;
  const auto map = symbols.AddFile(
      MakeFile("perf-7.map", Space::kUser, Addresses::kRunTime));
  symbols.AddSymbol(map, 0x5000, 0x10, "jit");
  const auto dex =
      symbols.AddFile(MakeFile("/a.dex", Space::kUser, Addresses::kFileOffset));
  symbols.AddSymbol(dex, 0x80, 0x10, "java.lang.Thread.run");
  Dso anon = MakeDso(DsoKind::kAnonymous, "[anon]");
  anon.pid = 7;
  EXPECT_EQ(NamesAt(symbols, anon, {0x5001}), Lines{"jit"});
  EXPECT_EQ(NamesAt(symbols, MakeDso(DsoKind::kFile, "/a.dex"), {0x84}),
            Lines{"java.lang.Thread.run"});
  Lines in;
  symbols.ForEachIn("/a.dex", 0, 0x88, [&](const auto& f) {
    in.push_back(absl::StrCat(f.name, " ", f.start, " ", f.end));
    return true;
  });
  EXPECT_EQ(in, Lines{"java.lang.Thread.run 128 136"});
}

TEST(RecordedSymbolsTest, NamesAreKeptOnce) {
  auto symbols = std::make_shared<RecordedSymbols>();
  const auto file = symbols->AddFile(
      {.path = "/nowhere/a.so", .min_address = 0, .min_address_offset = 0});
  symbols->AddSymbol(file, 0x10, 0x10, "a_function_with_a_long_name");
  SymbolizeOptions options;
  options.recorded = symbols;
  const auto symbolizer = MakeSymbolizer(options);
  std::vector<const char*> names;
  symbolizer->Resolve(MakeDso(DsoKind::kFile, "/nowhere/a.so"),
                      std::vector<uint64_t>{0x10, 0x11},
                      [&](size_t, absl::Span<const Symbol> found) {
                        names.push_back(found[0].system_name.data());
                      });
  ASSERT_EQ(names.size(), 2u);
  EXPECT_EQ(names[0], names[1]);
}

TEST(RecordedSymbolsTest, MemoryOfKallsymsIsThatOfItsSymbols) {
  RecordedSymbols symbols;
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "1 T a\n";
  symbols.SetKallsyms(text);
  EXPECT_GE(symbols.memory(), 1000 * sizeof(SymbolIndex::Entry));
}

TEST(RecordedSymbolsTest, SymbolizerUsesThem) {
  auto symbols = std::make_shared<RecordedSymbols>();
  const auto file = symbols->AddFile(
      {.path = "/nowhere/a.so", .min_address = 0, .min_address_offset = 0});
  symbols->AddSymbol(file, 0x10, 0x10, "_Z1fi");
  symbols->AddSymbol(file, 0x20, 0x10, "__dl__Z1gv");
  symbols->SetKallsyms("ffffffc000000000 T one\nffffffc000000010 t two\n");
  SymbolizeOptions options;
  options.recorded = symbols;
  const auto symbolizer = MakeSymbolizer(options);
  const auto names = [&](const Dso& dso, std::vector<uint64_t> addresses) {
    Lines lines;
    symbolizer->Resolve(dso, addresses,
                        [&](size_t i, absl::Span<const Symbol> found) {
                          lines.push_back(absl::StrCat(i, " ", found[0].name));
                        });
    return lines;
  };
  EXPECT_EQ(names(MakeDso(DsoKind::kFile, "/nowhere/a.so"), {0x10, 0x20, 0x30}),
            (Lines{"0 f", "1 [linker]g"}));
  EXPECT_EQ(names(MakeDso(DsoKind::kKernel, "[kernel.kallsyms]"),
                  {0xffffffc000000001, 0xffffffc000000011}),
            (Lines{"0 one", "1 two"}));
  EXPECT_EQ(symbolizer->Reports()[0].sources, Lines{"the recording"});
}

}  // namespace
}  // namespace perf2x
