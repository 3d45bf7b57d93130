// SPDX-License-Identifier: Apache-2.0
#include "converter/symbolize/dwarf/dwarf_sections.h"

#include <elf.h>
#include <isa-l/igzip_lib.h>
#include <zstd.h>

#include <algorithm>
#include <memory>

#include "absl/strings/str_cat.h"
#include "converter/base/compression_ratio.h"
#include "converter/base/machine.h"

namespace perf2x {
namespace {

#ifndef ELFCOMPRESS_ZSTD
#define ELFCOMPRESS_ZSTD 2
#endif

// Largest number of bytes that one compressed byte decompresses to. This is
// zlib's limit; zstd could exceed it, but compilers' output does not.
constexpr uint64_t kLargestRatio = 1040;

// Uses ISA-L, which decompresses two to three times as fast as zlib.
bool Inflate(absl::Span<const uint8_t> in, std::string* out) {
  const auto z = std::make_unique<inflate_state>();
  isal_inflate_init(z.get());
  z->crc_flag = ISAL_ZLIB;
  size_t in_at = 0, out_at = 0;
  int result = ISAL_DECOMP_OK;
  // ISA-L counts in 32 bits.
  constexpr size_t kStep = 1 << 30;
  while (result == ISAL_DECOMP_OK && z->block_state != ISAL_BLOCK_FINISH) {
    z->next_in = const_cast<uint8_t*>(in.data() + in_at);
    z->avail_in = static_cast<uint32_t>(std::min(in.size() - in_at, kStep));
    z->next_out = reinterpret_cast<uint8_t*>(out->data() + out_at);
    z->avail_out = static_cast<uint32_t>(std::min(out->size() - out_at, kStep));
    const uint32_t in_before = z->avail_in, out_before = z->avail_out;
    result = isal_inflate(z.get());
    in_at += in_before - z->avail_in;
    out_at += out_before - z->avail_out;
    if (in_before == z->avail_in && out_before == z->avail_out) break;
  }
  return result == ISAL_DECOMP_OK && out_at == out->size();
}

// Decompresses `in` to `size` bytes, and charges the file for them. Returns an
// empty string on damage, and if this section and those decompressed `before`
// are too large for the size of `elf`.
std::string Unpack(absl::Span<const uint8_t> in, uint64_t size, uint32_t how,
                   const ElfFile& elf, const std::deque<std::string>& before) {
  Budget& budget = elf.file()->budget();
  uint64_t made = size;
  for (const std::string& section : before) made += section.size();
  if (size / kLargestRatio > in.size() || size > budget.left(Budget::kMemory) ||
      IsDecompressionBomb(elf.file()->bytes().size(), made)) {
    return "";
  }
  budget.Spend(Budget::kMemory, size);
  std::string out(size, '\0');
  bool ok = false;
  if (how == ELFCOMPRESS_ZLIB) {
    ok = Inflate(in, &out);
  } else if (how == ELFCOMPRESS_ZSTD) {
    ok = ZSTD_decompress(out.data(), out.size(), in.data(), in.size()) ==
         out.size();
  }
  if (!ok) out.clear();
  return out;  // not copied
}

// Returns how many bytes a relocation of debug information fills with symbol +
// addend; 0 for other relocations.
size_t SizeOfRelocation(const Machine& machine, uint32_t type) {
  if (type == 0) return 0;
  if (type == machine.abs64_relocation) return 8;
  return type == machine.abs32_relocation ? 4 : 0;
}

// Applies relocations as a linker would: sections of a relocatable file refer
// to each other by symbols. Only .text has an address in memory.
void Relocate(const ElfFile& elf, const ElfFile::Section& section,
              std::string* bytes, SkippedParts* skipped) {
  const std::vector<ElfFile::Section>& sections = elf.sections();
  const ElfFile::Section* symbols = elf.Find(".symtab");
  if (symbols == nullptr) return;
  const Machine& machine = MachineOfElf(elf.machine());
  std::vector<uint64_t> values;
  values.reserve(elf.SymbolCount(*symbols));
  elf.ForEachSymbol(*symbols, [&](uint32_t, const ElfFile::Sym& sym) {
    const bool text =
        sym.section < sections.size() && sections[sym.section].name == ".text";
    values.push_back(sym.value + (text ? ElfFile::kTextOfRelocatable : 0));
  });
  auto* data = reinterpret_cast<uint8_t*>(bytes->data());
  // All relocation tables of a hostile file may be the same bytes.
  uint64_t left = elf.file()->bytes().size();
  for (const ElfFile::Section& s : sections) {
    if ((s.type != SHT_RELA && s.type != SHT_REL) ||
        s.info != static_cast<size_t>(&section - sections.data())) {
      continue;
    }
    if (s.size > left) {
      skipped->sections.emplace(s.name);
      continue;
    }
    left -= s.size;
    elf.ForEachRelocation(s, [&](const ElfFile::Rel& rel) {
      const size_t size = SizeOfRelocation(machine, rel.type);
      if (size == 0 || rel.symbol >= values.size() ||
          rel.offset > bytes->size() || size > bytes->size() - rel.offset) {
        return;
      }
      uint8_t* at = data + rel.offset;
      uint64_t value = values[rel.symbol] + static_cast<uint64_t>(rel.addend);
      if (size == 8) {
        if (s.type == SHT_REL) value += Load<uint64_t>(at, elf.order());
        Store(value, at, elf.order());
      } else {
        if (s.type == SHT_REL) value += Load<uint32_t>(at, elf.order());
        Store(static_cast<uint32_t>(value), at, elf.order());
      }
    });
  }
}

}  // namespace

absl::Span<const uint8_t> LoadDebugSection(const ElfFile& elf,
                                           absl::string_view name,
                                           std::deque<std::string>* unpacked,
                                           SkippedParts* skipped) {
  const auto damaged = [&]() -> absl::Span<const uint8_t> {
    skipped->sections.insert(absl::StrCat(".debug_", name));
    return {};
  };
  auto unpack = [&](absl::Span<const uint8_t> in, uint64_t size,
                    uint32_t how) -> absl::Span<const uint8_t> {
    const std::string& s =
        unpacked->emplace_back(Unpack(in, size, how, elf, *unpacked));
    if (s.size() != size) return damaged();
    return {reinterpret_cast<const uint8_t*>(s.data()), s.size()};
  };
  if (const auto* s = elf.Find(absl::StrCat(".debug_", name))) {
    const absl::Span<const uint8_t> bytes = elf.Bytes(*s);
    if ((s->flags & SHF_COMPRESSED) == 0) return bytes;
    ByteReader in(bytes, elf.order());
    const uint32_t how = in.U32();
    if (elf.is64()) in.Skip(4);
    const uint64_t size = elf.is64() ? in.U64() : in.U32();
    in.Skip(elf.is64() ? 8 : 4);
    return in.ok() ? unpack(in.Rest(), size, how) : damaged();
  }
  // The older GNU format: "ZLIB" and the size, big-endian.
  if (const auto* s = elf.Find(absl::StrCat(".zdebug_", name))) {
    ByteReader in(elf.Bytes(*s), ByteOrder::kBig);
    const bool is_zlib = in.FixedString(4) == "ZLIB";
    const uint64_t size = in.U64();
    return is_zlib && in.ok() ? unpack(in.Rest(), size, ELFCOMPRESS_ZLIB)
                              : damaged();
  }
  return {};
}

std::unique_ptr<DwarfSections> LoadDwarfSections(const ElfFile& elf,
                                                 bool split) {
  auto out = std::make_unique<DwarfSections>();
  out->order = elf.order();
  out->budget = &elf.file()->budget();
  auto keep = [&](std::string bytes) -> DwarfSections::Bytes {
    const std::string& s = out->unpacked.emplace_back(std::move(bytes));
    return {reinterpret_cast<const uint8_t*>(s.data()), s.size()};
  };
  const absl::string_view suffix = split ? ".dwo" : "";
  auto load_linked = [&](absl::string_view name) {
    return LoadDebugSection(elf, absl::StrCat(name, suffix), &out->unpacked,
                            &out->skipped);
  };
  auto load = [&](absl::string_view name) -> DwarfSections::Bytes {
    const DwarfSections::Bytes bytes = load_linked(name);
    const auto* section = elf.Find(absl::StrCat(".debug_", name));
    if (elf.type() != ET_REL || section == nullptr || split) return bytes;
    std::string linked(reinterpret_cast<const char*>(bytes.data()),
                       bytes.size());
    Relocate(elf, *section, &linked, &out->skipped);
    return keep(std::move(linked));
  };
  out->info = load("info");
  if (out->info.empty() && out->skipped.empty()) return nullptr;
  out->abbrev = load("abbrev");
  out->line = load("line");
  out->str = load("str");
  out->line_str = load("line_str");
  out->str_offsets = load("str_offsets");
  out->addr = load("addr");
  out->ranges = load("ranges");
  out->rnglists = load("rnglists");
  // The index of a package has no ".dwo" in its name.
  if (const auto* s = elf.Find(".debug_cu_index")) {
    out->cu_index = elf.Bytes(*s);
  }
  return out;
}

absl::string_view DwarfString(absl::Span<const uint8_t> section, uint64_t at) {
  if (at >= section.size()) return {};
  const char* p = reinterpret_cast<const char*>(section.data()) + at;
  return {p, strnlen(p, std::min<size_t>(section.size() - at,
                                         kMaxDwarfStringSize))};
}

}  // namespace perf2x
