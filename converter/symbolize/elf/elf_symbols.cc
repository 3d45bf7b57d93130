// SPDX-License-Identifier: Apache-2.0
#include "converter/symbolize/elf/elf_symbols.h"

#include <elf.h>

#include <optional>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "converter/base/machine.h"

namespace perf2x {
namespace {

// Returns true if the assembler uses `name` to mark code or data; see "mapping
// symbols" in ELF for the Arm Architecture.
bool IsMappingSymbol(absl::string_view name) {
  return name.size() >= 2 && name[0] == '$' &&
         absl::StrContains("adtx", name[1]) &&
         (name.size() == 2 || name[2] == '.');
}

// Sections whose labels count as functions.
bool HoldsLabels(absl::string_view section) {
  return absl::StrContains(section, "text") ||
         absl::StrContains(section, "data");
}

// Limits the bytes of names or relocations that are read from one file: those
// of a hostile file may all be the same bytes. In real files, few names share
// their ends.
class Allowance {
 public:
  Allowance(const ElfFile& elf, SkippedParts* skipped)
      : left_(4 * elf.file()->bytes().size()), skipped_(skipped) {}
  // Takes `size` bytes for `symbols` symbols. If too few are left, counts these
  // symbols as skipped and returns false.
  bool Take(uint64_t size, uint64_t symbols = 1) {
    if (size > left_) {
      skipped_->symbols += symbols;
      return false;
    }
    left_ -= size;
    return true;
  }
  // Returns the name of `sym`; nullopt if too few bytes are left for it, and
  // from then on for all symbols.
  std::optional<absl::string_view> Name(const ElfFile::Sym& sym) {
    const absl::string_view name = sym.name(left_ + 1);
    if (Take(name.size())) return name;
    left_ = 0;
    return std::nullopt;
  }

 private:
  uint64_t left_;
  SkippedParts* const skipped_;
};

const ElfFile::Section* SymbolTable(const ElfFile& elf, bool dynamic) {
  const ElfFile::Section* s = elf.Find(dynamic ? ".dynsym" : ".symtab");
  const uint32_t type = dynamic ? SHT_DYNSYM : SHT_SYMTAB;
  return s != nullptr && s->type == type ? s : nullptr;
}

// Calls `visit` with the address and size of each entry of a procedure linkage
// table for x86, and with the address of the word that it jumps through.
// Entries are recognised by the indirect jump, in each of the tables and in any
// order.
void ForEachPltJump(
    const ElfFile& elf,
    absl::FunctionRef<void(uint64_t, uint64_t, uint64_t)> visit) {
  const ElfFile::Section* got = elf.Find(".got.plt");
  if (got == nullptr) got = elf.Find(".got");
  for (absl::string_view name : {".plt", ".plt.sec", ".plt.got"}) {
    const ElfFile::Section* s = elf.Find(name);
    if (s == nullptr) continue;
    const absl::Span<const uint8_t> code = elf.Bytes(*s);
    const size_t size = name == ".plt.got" ? 8 : 16;
    for (size_t at = 0; at + size <= code.size(); at += size) {
      for (size_t i = at; i + 6 <= at + size; ++i) {
        const uint8_t mode = code[i + 1];
        if (code[i] != 0xff || (mode != 0x25 && mode != 0xa3)) continue;
        const auto operand = static_cast<int32_t>(
            Load<uint32_t>(&code[i + 2], ByteOrder::kLittle));
        uint64_t slot = static_cast<uint32_t>(operand);
        if (elf.is64()) {
          slot = s->address + i + 6 + static_cast<int64_t>(operand);
        } else if (mode == 0xa3) {  // relative to %ebx, the GOT
          if (got == nullptr) break;
          slot = static_cast<uint32_t>(got->address + operand);
        }
        visit(s->address + at, size, slot);
        break;
      }
    }
  }
}

// Adds entries of the procedure linkage tables of one file.
class PltReader {
 public:
  PltReader(const ElfFile& elf, const ElfFile::Section& dynsym,
            SymbolIndex* index, SkippedParts* skipped)
      : elf_(elf),
        dynsym_(dynsym),
        symbols_(elf.SymbolCount(dynsym)),
        machine_(MachineOfElf(elf.machine())),
        index_(index),
        skipped_(skipped),
        names_(elf, skipped),
        copies_(elf, skipped),
        relocated_(elf, skipped) {}

  size_t AddAll() {
    if (machine_.has_jumps_in_plt) {
      AddByJumps();
    } else {
      AddInOrder();
    }
    return added_;
  }

 private:
  using NameByAddress = absl::flat_hash_map<uint64_t, absl::string_view>;

  void Add(uint64_t at, uint64_t size, absl::string_view name) {
    if (name.empty() || !copies_.Take(name.size()) ||
        !ChargeSymbols(elf_, 1, name.size(), skipped_)) {
      return;
    }
    index_->Add(at, size, index_->StoreName(absl::StrCat(name, "@plt")),
                STT_FUNC, STB_GLOBAL);
    ++added_;
  }

  // A PLT entry jumps through a word, and the relocation of that word has the
  // entry's symbol. The words are collected first: most files have many more
  // relocations than PLT entries.
  void AddByJumps() {
    NameByAddress name_of_slot;
    ForEachPltJump(elf_, [&](uint64_t, uint64_t, uint64_t slot) {
      name_of_slot.try_emplace(slot);
    });
    // Resolver functions, by the addresses of their symbols.
    NameByAddress resolvers;
    for (const SymbolIndex::Entry& e : index_->entries()) {
      if (e.type == STT_GNU_IFUNC) resolvers.try_emplace(e.start, e.view());
    }
    for (const ElfFile::Section& s : elf_.sections()) {
      if (name_of_slot.empty()) break;
      if (s.type != SHT_RELA && s.type != SHT_REL) continue;
      const uint64_t entries = s.size / (elf_.is64() ? 16 : 8);
      if ((s.flags & SHF_ALLOC) != 0 && relocated_.Take(s.size, entries)) {
        NameSlots(s, resolvers, &name_of_slot);
      }
    }
    ForEachPltJump(elf_, [&](uint64_t at, uint64_t size, uint64_t slot) {
      Add(at, size, name_of_slot[slot]);
    });
  }

  void NameSlots(const ElfFile::Section& relocations,
                 const NameByAddress& resolvers, NameByAddress* name_of_slot) {
    elf_.ForEachRelocation(relocations, [&](const ElfFile::Rel& rel) {
      const auto slot = name_of_slot->find(rel.offset);
      if (slot == name_of_slot->end() || !slot->second.empty()) return;
      if (rel.symbol != 0 && rel.symbol < symbols_) {
        const auto name = names_.Name(elf_.SymbolAt(dynsym_, rel.symbol));
        slot->second = name.value_or("");
      } else if (machine_.indirect_relocation != 0 &&
                 rel.type == machine_.indirect_relocation &&
                 relocations.type == SHT_RELA) {
        const auto address = static_cast<uint64_t>(rel.addend);
        const auto resolver = resolvers.find(address);
        // A resolver without a symbol is named as objdump prints it.
        slot->second = resolver != resolvers.end()
                           ? resolver->second
                           : index_->StoreName(
                                 absl::StrCat("*ABS*+0x", absl::Hex(address)));
      }
    });
  }

  // PLT entries follow a header in the order of the relocations.
  void AddInOrder() {
    const ElfFile::Section* plt = elf_.Find(".plt");
    const ElfFile::Section* relocations = elf_.Find(".rela.plt");
    if (relocations == nullptr) relocations = elf_.Find(".rel.plt");
    if (plt == nullptr || relocations == nullptr) return;
    uint64_t entry = machine_.plt_entry_size, at = machine_.plt_header_size;
    if (entry == 0) {
      at = entry = plt->entry_size != 0 ? plt->entry_size : 16;
    }
    elf_.ForEachRelocation(*relocations, [&](const ElfFile::Rel& rel) {
      if (at < plt->size && rel.symbol < symbols_) {
        const auto name = names_.Name(elf_.SymbolAt(dynsym_, rel.symbol));
        if (name.has_value()) Add(plt->address + at, entry, *name);
      }
      at += entry;
    });
  }

  const ElfFile& elf_;
  const ElfFile::Section& dynsym_;
  const uint32_t symbols_;
  const Machine& machine_;
  SymbolIndex* const index_;
  SkippedParts* const skipped_;
  Allowance names_, copies_, relocated_;
  size_t added_ = 0;
};

}  // namespace

bool ChargeSymbols(const ElfFile& elf, uint64_t count, uint64_t bytes,
                   SkippedParts* skipped) {
  Budget& budget = elf.file()->budget();
  const uint64_t memory = count * SymbolIndex::kMemoryOfEntry + bytes;
  if (memory > budget.left(Budget::kMemory)) {
    skipped->symbols += count;
    return false;
  }
  budget.Spend(Budget::kMemory, memory);
  return true;
}

size_t AddElfSymbols(const ElfFile& elf, bool dynamic, SymbolIndex* index,
                     SkippedParts* skipped) {
  const ElfFile::Section* table = SymbolTable(elf, dynamic);
  if (table == nullptr ||
      !ChargeSymbols(elf, elf.SymbolCount(*table), 0, skipped)) {
    return 0;
  }
  const Machine& machine = MachineOfElf(elf.machine());
  const std::vector<ElfFile::Section>& sections = elf.sections();
  size_t added = 0;
  Allowance names(elf, skipped);
  index->Reserve(elf.SymbolCount(*table));
  elf.ForEachSymbol(*table, [&](uint32_t, const ElfFile::Sym& sym) {
    // A section index that exceeds the field's 16 bits is SHN_XINDEX here. Only
    // files with that many sections lose symbols.
    if (sym.section == SHN_XINDEX) ++skipped->symbols;
    if (sym.section == SHN_UNDEF || sym.section >= sections.size()) return;
    const ElfFile::Section& section = sections[sym.section];
    if ((section.flags & SHF_ALLOC) == 0) return;
    // Sections of a kernel module all begin at 0; its code begins with .text.
    if (elf.type() == ET_REL && section.name != ".text") return;
    switch (sym.type()) {
      case STT_FUNC:
      case STT_GNU_IFUNC:
      case STT_OBJECT:
        break;
      case STT_NOTYPE: {
        const uint8_t visibility = ELF64_ST_VISIBILITY(sym.other);
        if (visibility == STV_HIDDEN || visibility == STV_INTERNAL ||
            !HoldsLabels(section.name)) {
          return;
        }
        break;
      }
      default:
        return;
    }
    const std::optional<absl::string_view> name = names.Name(sym);
    if (!name.has_value() || name->empty()) return;
    if (machine.has_mapping_symbols && IsMappingSymbol(*name)) return;
    uint64_t value = sym.value;
    if (elf.type() == ET_REL) value += ElfFile::kTextOfRelocatable;
    // The lowest bit says that the function is in Thumb code.
    if (machine.has_odd_code() && sym.type() == STT_FUNC) {
      value &= ~uint64_t{1};
    }
    index->Add(value, sym.size, *name, sym.type(), sym.binding());
    ++added;
  });
  return added;
}

size_t AddPltSymbols(const ElfFile& elf, SymbolIndex* index,
                     SkippedParts* skipped) {
  const ElfFile::Section* dynsym = SymbolTable(elf, /*dynamic=*/true);
  if (dynsym == nullptr) return 0;
  return PltReader(elf, *dynsym, index, skipped).AddAll();
}

}  // namespace perf2x
