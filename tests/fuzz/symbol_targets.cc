// SPDX-License-Identifier: Apache-2.0

// Symbol files.

#include <elf.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "converter/symbolize/demangle.h"
#include "converter/symbolize/dwarf/dwarf_info.h"
#include "converter/symbolize/jit/jitdump.h"
#include "converter/symbolize/jit/perf_map.h"
#include "converter/symbolize/kernel/kallsyms.h"
#include "tests/fuzz/symbol_lookups.h"
#include "tests/fuzz/targets.h"
#include "tests/unwind/test_elf.h"

namespace perf2x {
namespace {

constexpr size_t kSomeAddresses = 200;

std::shared_ptr<const SafeFile> FileOf(FuzzInput bytes) {
  return SafeFile::FromMemory("fuzz", TextOf(bytes));
}

// `addresses` and those beside them, ascending and distinct.
std::vector<uint64_t> WithNeighbours(std::vector<uint64_t> addresses) {
  if (addresses.size() > kSomeAddresses) addresses.resize(kSomeAddresses);
  for (size_t i = 0, n = addresses.size(); i < n; ++i) {
    addresses.push_back(addresses[i] - 1);
    addresses.push_back(addresses[i] + 5);
  }
  addresses.push_back(0);
  addresses.push_back(~uint64_t{0});
  std::sort(addresses.begin(), addresses.end());
  addresses.erase(std::unique(addresses.begin(), addresses.end()),
                  addresses.end());
  return addresses;
}

void Ignore(size_t, absl::Span<const Symbol> symbols) {
  FuzzPromise(!symbols.empty(), "who is found has a function");
}

}  // namespace

void FuzzElf(FuzzInput bytes) {
  auto elf = ElfFile::Open(FileOf(bytes));
  if (!elf.ok()) return;
  std::vector<uint64_t> addresses = {0x1000, 0x1139};
  for (const ElfFile::Section& section : (*elf)->sections()) {
    if (section.type != SHT_SYMTAB && section.type != SHT_DYNSYM) {
      addresses.push_back(section.offset);
      continue;
    }
    (*elf)->ForEachSymbol(section, [&](uint32_t, const ElfFile::Sym& symbol) {
      if (addresses.size() >= kSomeAddresses) return;
      if (auto at = (*elf)->OffsetOfAddress(symbol.value)) {
        addresses.push_back(*at);
      }
    });
  }
  (void)(*elf)->build_id();
  (void)(*elf)->debug_link();
  (void)(*elf)->alt_link();
  NameWith(*std::move(elf), WithNeighbours(addresses), Ignore);
}

// Sections: info, abbrev, line, str, then line_str, str_offsets, addr, ranges,
// rnglists. The first byte of all makes the file 32-bit and big-endian.
void FuzzDwarf(FuzzInput bytes) {
  static const char* const kNames[] = {
      ".debug_info", ".debug_abbrev",   ".debug_line",
      ".debug_str",  ".debug_line_str", ".debug_str_offsets",
      ".debug_addr", ".debug_ranges",   ".debug_rnglists"};
  if (bytes.empty()) return;
  const Machine* machine = bytes[0] % 3 == 0   ? MachineOf("x86_64", 2)
                           : bytes[0] % 3 == 1 ? MachineOf("s390x", 2)
                                               : MachineOf("i386", 1);
  const std::vector<FuzzInput> pieces = FuzzPieces(bytes.subspan(1));
  std::vector<TestSection> sections;
  uint64_t at = 0x100;
  for (size_t i = 0; i < pieces.size() && i < std::size(kNames); ++i) {
    sections.push_back({kNames[i], at, TextOf(pieces[i])});
    at += pieces[i].size();
  }
  std::shared_ptr<const ElfFile> elf = OpenElf(TestElf(*machine, sections));
  FuzzPromise(elf != nullptr, "the sections' file is one");
  auto file = DwarfFile::Open(elf, DwarfCompanions());
  if (file == nullptr) return;
  DwarfInfo dwarf(std::move(file));
  std::vector<uint64_t> addresses;
  for (uint64_t a = 0; a < 0x200; a += 7) addresses.push_back(a);
  for (uint64_t a = 0x1000; a < 0x1800; a += 29) addresses.push_back(a);
  std::vector<DwarfFrame> frames;
  for (const uint64_t address : WithNeighbours(addresses)) {
    for (const bool inlines : {false, true}) {
      frames.clear();
      dwarf.Find(address, inlines, &frames);
      FuzzPromise(inlines || frames.size() <= 1,
                  "without inlined functions there is one");
    }
  }
}

void FuzzKallsyms(FuzzInput bytes) {
  auto kallsyms = Kallsyms::Parse(FileOf(bytes));
  if (!kallsyms.ok()) return;
  std::vector<uint64_t> addresses;
  for (const SymbolIndex::Entry& entry : (*kallsyms)->index().entries()) {
    if (addresses.size() >= kSomeAddresses) break;
    addresses.push_back(entry.start);
    (void)(*kallsyms)->AddressOf(entry.view());
    (void)Kallsyms::WithoutModule(entry.view());
  }
  SymbolIndex::Cursor cursor;
  for (const uint64_t address : WithNeighbours(addresses)) {
    const SymbolIndex::Entry* found =
        (*kallsyms)->index().Find(address, &cursor);
    FuzzPromise(
        found == nullptr || (found->start <= address && address < found->end),
        "a symbol that is found has the address");
  }
}

void FuzzPerfMap(FuzzInput bytes) {
  auto map = PerfMap::Parse(FileOf(bytes));
  if (!map.ok()) return;
  std::vector<uint64_t> addresses;
  for (uint64_t a = 0; a < 0x4000; a += 0x100) addresses.push_back(a);
  for (uint64_t a = 0x7f0000000000; a < 0x7f0000004000; a += 0x100) {
    addresses.push_back(a);
  }
  (*map)->Resolve(Dso(), WithNeighbours(addresses), Ignore);
}

void FuzzJitDump(FuzzInput bytes) {
  auto dump = JitDump::Open(FileOf(bytes));
  if (!dump.ok()) return;
  size_t events = 0;
  (void)(*dump)->ForEach([&](const JitDump::Event& event) {
    ++events;
    FuzzPromise(event.lines == nullptr || event.lines->size() <= bytes.size(),
                "there are no more lines than bytes");
  });
  FuzzPromise(events <= bytes.size(), "there are no more events than bytes");
}

void FuzzDemangle(FuzzInput bytes) {
  for (const Demangle style : {Demangle::kSimple, Demangle::kFull}) {
    const std::string name = DemangleSymbol(TextOf(bytes), style);
    FuzzPromise(name.size() <= (1 << 20) + bytes.size(),
                "a name is no longer than a megabyte");
  }
}

}  // namespace perf2x
