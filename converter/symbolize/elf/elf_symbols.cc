#include "converter/symbolize/elf/elf_symbols.h"

#include <elf.h>

#include <optional>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace perf2x {
namespace {

// Marks of the assembler for data in code and the like; see ELF for the Arm
// Architecture, "mapping symbols".
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

// Names and relocations of a hostile file may all be the same bytes, over and
// over; this is what can be had of it. Real files share the ends of few names.
class Allowance {
 public:
  Allowance(const ElfFile& elf, SkippedParts* skipped)
      : left_(4 * elf.file()->bytes().size()), skipped_(skipped) {}
  // For `symbols`; false, and they are counted as left out, when it is used up.
  bool Take(uint64_t size, uint64_t symbols = 1) {
    if (size > left_) {
      skipped_->symbols += symbols;
      return false;
    }
    left_ -= size;
    return true;
  }
  // The name of `sym`; nullopt as above, and for all that come then.
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
// table for x86, and with the address of the word that it jumps through. They
// are recognised by the indirect jump, whichever table they are in and in
// whichever order.
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

}  // namespace

size_t AddElfSymbols(const ElfFile& elf, bool dynamic, SymbolIndex* index,
                     SkippedParts* skipped) {
  const ElfFile::Section* table = SymbolTable(elf, dynamic);
  if (table == nullptr) return 0;
  const bool arm = elf.machine() == EM_ARM;
  const bool mapping_symbols = arm || elf.machine() == EM_AARCH64;
  const std::vector<ElfFile::Section>& sections = elf.sections();
  size_t added = 0;
  Allowance names(elf, skipped);
  index->Reserve(elf.SymbolCount(*table));
  elf.ForEachSymbol(*table, [&](uint32_t, const ElfFile::Sym& sym) {
    // Sections beyond the 16 bits of this field have SHN_XINDEX here; only
    // files with that many sections lose names.
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
    if (mapping_symbols && IsMappingSymbol(*name)) return;
    uint64_t value = sym.value;
    if (elf.type() == ET_REL) value += ElfFile::kTextOfRelocatable;
    // The lowest bit says that the function is in Thumb code.
    if (arm && sym.type() == STT_FUNC) value &= ~uint64_t{1};
    index->Add(value, sym.size, *name, sym.type(), sym.binding());
    ++added;
  });
  return added;
}

size_t AddPltSymbols(const ElfFile& elf, SymbolIndex* index,
                     SkippedParts* skipped) {
  const ElfFile::Section* dynsym = SymbolTable(elf, /*dynamic=*/true);
  if (dynsym == nullptr) return 0;
  const uint32_t symbols = elf.SymbolCount(*dynsym);
  size_t added = 0;
  Allowance names(elf, skipped), copies(elf, skipped), relocated(elf, skipped);
  auto add = [&](uint64_t at, uint64_t size, absl::string_view name) {
    if (name.empty() || !copies.Take(name.size())) return;
    index->Add(at, size, index->Own(absl::StrCat(name, "@plt")), STT_FUNC,
               STB_GLOBAL);
    ++added;
  };

  const ElfFile::Section* plt = elf.Find(".plt");
  const ElfFile::Section* relocations = elf.Find(".rela.plt");
  if (relocations == nullptr) relocations = elf.Find(".rel.plt");

  if (elf.machine() == EM_X86_64 || elf.machine() == EM_386) {
    // The word that an entry jumps through is filled by the relocation of that
    // address, of which most files have many more than such entries.
    absl::flat_hash_map<uint64_t, absl::string_view> name_of_slot;
    ForEachPltJump(elf, [&](uint64_t, uint64_t, uint64_t slot) {
      name_of_slot.try_emplace(slot);
    });
    // What functions are resolved by is at their symbols' addresses.
    absl::flat_hash_map<uint64_t, absl::string_view> indirect;
    for (const SymbolIndex::Entry& e : index->entries()) {
      if (e.type == STT_GNU_IFUNC) indirect.try_emplace(e.start, e.view());
    }
    for (const ElfFile::Section& s : elf.sections()) {
      if (name_of_slot.empty()) break;
      if (s.type != SHT_RELA && s.type != SHT_REL) continue;
      const uint64_t entries = s.size / (elf.is64() ? 16 : 8);
      if ((s.flags & SHF_ALLOC) == 0 || !relocated.Take(s.size, entries)) {
        continue;
      }
      elf.ForEachRelocation(s, [&](const ElfFile::Rel& rel) {
        const auto slot = name_of_slot.find(rel.offset);
        if (slot == name_of_slot.end() || !slot->second.empty()) return;
        if (rel.symbol != 0 && rel.symbol < symbols) {
          const auto name = names.Name(elf.SymbolAt(*dynsym, rel.symbol));
          slot->second = name.value_or("");
        } else if (rel.type == R_X86_64_IRELATIVE && s.type == SHT_RELA &&
                   elf.machine() == EM_X86_64) {
          const auto resolver = static_cast<uint64_t>(rel.addend);
          auto it = indirect.find(resolver);
          // Without a symbol, as objdump has it.
          slot->second =
              it != indirect.end()
                  ? it->second
                  : index->Own(absl::StrCat("*ABS*+0x", absl::Hex(resolver)));
        }
      });
    }
    ForEachPltJump(elf, [&](uint64_t at, uint64_t size, uint64_t slot) {
      add(at, size, name_of_slot[slot]);
    });
    return added;
  }

  // Elsewhere entries follow a header in the order of the relocations.
  if (plt == nullptr || relocations == nullptr) return 0;
  uint64_t header, entry;
  switch (elf.machine()) {
    case EM_ARM:
      header = 20;
      entry = 12;
      break;
    case EM_AARCH64:
      header = 32;
      entry = 16;
      break;
    default:
      header = entry = plt->entry_size != 0 ? plt->entry_size : 16;
  }
  uint64_t at = header;
  elf.ForEachRelocation(*relocations, [&](const ElfFile::Rel& rel) {
    if (at < plt->size && rel.symbol < symbols) {
      const auto name = names.Name(elf.SymbolAt(*dynsym, rel.symbol));
      if (name.has_value()) add(plt->address + at, entry, *name);
    }
    at += entry;
  });
  return added;
}

}  // namespace perf2x
