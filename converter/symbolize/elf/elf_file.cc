// SPDX-License-Identifier: Apache-2.0
#include "converter/symbolize/elf/elf_file.h"

#include <elf.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "converter/base/byte_reader.h"

namespace perf2x {
namespace {

// Programs have about ten segments. Each look-up scans all of them.
constexpr size_t kMaxSegments = 256;
// Longer section names are truncated. No name that is looked for is longer.
constexpr size_t kMaxSectionNameSize = 256;

// Returns the string that starts at `at` in a string table, truncated to `most`
// bytes; empty if out of bounds.
absl::string_view StringAt(absl::Span<const uint8_t> table, uint64_t at,
                           size_t most = absl::string_view::npos) {
  if (at >= table.size()) return {};
  const char* p = reinterpret_cast<const char*>(table.data()) + at;
  return {p, strnlen(p, std::min<size_t>(table.size() - at, most))};
}

// Reads a field that is four bytes wide in ELF32 and eight in ELF64.
uint64_t Word(ByteReader& in, bool is64) { return is64 ? in.U64() : in.U32(); }

}  // namespace

BuildId BuildIdInNotes(absl::Span<const uint8_t> notes, ByteOrder order) {
  for (ByteReader in(notes, order); in.left() >= 12;) {
    const uint32_t name_size = in.U32();
    const uint32_t desc_size = in.U32();
    const uint32_t type = in.U32();
    const absl::string_view name = in.FixedString(name_size);
    in.Skip((4 - name_size % 4) % 4);
    const absl::Span<const uint8_t> desc = in.Bytes(desc_size);
    if (!in.ok()) break;
    if (type == NT_GNU_BUILD_ID && name == "GNU") return BuildId(desc);
    if (in.left() > 0)
      in.Skip(std::min<size_t>((4 - desc_size % 4) % 4, in.left()));
  }
  return {};
}

absl::StatusOr<std::unique_ptr<ElfFile>> ElfFile::Open(
    std::shared_ptr<const SafeFile> file) {
  const absl::Span<const uint8_t> bytes = file->bytes();
  auto damaged = [&](absl::string_view what) {
    return absl::DataLossError(absl::StrCat(file->path(), ": ", what));
  };
  if (bytes.size() < EI_NIDENT || memcmp(bytes.data(), ELFMAG, SELFMAG) != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(file->path(), ": not an ELF file"));
  }
  std::unique_ptr<ElfFile> elf(new ElfFile);
  elf->file_ = file;
  elf->is64_ = bytes[EI_CLASS] == ELFCLASS64;
  elf->order_ =
      bytes[EI_DATA] == ELFDATA2MSB ? ByteOrder::kBig : ByteOrder::kLittle;
  ByteReader in(bytes, elf->order_);
  in.Skip(EI_NIDENT);
  elf->type_ = in.U16();
  elf->machine_ = in.U16();
  in.Skip(4);            // e_version
  Word(in, elf->is64_);  // e_entry
  const uint64_t phoff = Word(in, elf->is64_);
  const uint64_t shoff = Word(in, elf->is64_);
  in.Skip(4 + 2);  // e_flags, e_ehsize
  const uint16_t phentsize = in.U16();
  uint32_t phnum = in.U16();
  const uint16_t shentsize = in.U16();
  uint32_t shnum = in.U16();
  uint32_t shstrndx = in.U16();
  if (!in.ok()) return damaged("ELF header cut off");

  // Counts that do not fit their fields are in the first section header.
  const size_t section_size =
      elf->is64_ ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
  if (shoff != 0 &&
      (shnum == 0 || phnum == PN_XNUM || shstrndx == SHN_XINDEX)) {
    const absl::Span<const uint8_t> first = elf->Slice(shoff, section_size);
    ByteReader s(first, elf->order_);
    s.Skip(8);
    for (int i = 0; i < 3; ++i) Word(s, elf->is64_);  // flags, address, offset
    const uint64_t size = Word(s, elf->is64_);
    const uint32_t link = s.U32(), info = s.U32();
    if (s.ok()) {
      if (shnum == 0)
        shnum = static_cast<uint32_t>(std::min<uint64_t>(size, ~0u));
      if (phnum == PN_XNUM) phnum = info;
      if (shstrndx == SHN_XINDEX) shstrndx = link;
    }
  }
  if (phnum > 0 && !elf->ReadSegments(phoff, phnum, phentsize)) {
    return damaged("program headers outside the file");
  }
  if (shoff != 0 && shnum > 0 &&
      !elf->ReadSections(shoff, shnum, shentsize, shstrndx)) {
    elf->damaged_ = true;
  }
  elf->build_id_ = elf->ReadBuildId();
  return elf;
}

absl::Span<const uint8_t> ElfFile::Slice(uint64_t offset, uint64_t size) const {
  const absl::Span<const uint8_t> bytes = file_->bytes();
  if (offset > bytes.size() || size > bytes.size() - offset) return {};
  return bytes.subspan(offset, size);
}

bool ElfFile::ReadSegments(uint64_t at, uint32_t count, uint32_t entry_size) {
  const size_t need = is64_ ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
  if (entry_size < need) return false;
  const absl::Span<const uint8_t> bytes =
      Slice(at, uint64_t{count} * entry_size);
  if (bytes.empty()) return false;
  damaged_ |= count > kMaxSegments;
  count = std::min<uint32_t>(count, kMaxSegments);
  segments_.reserve(count);
  for (uint32_t i = 0; i < count; ++i) {
    ByteReader in(bytes.subspan(size_t{i} * entry_size, entry_size), order_);
    Segment s;
    s.type = in.U32();
    if (is64_) s.flags = in.U32();
    s.offset = Word(in, is64_);
    s.address = Word(in, is64_);
    Word(in, is64_);  // p_paddr
    s.file_size = Word(in, is64_);
    s.memory_size = Word(in, is64_);
    if (!is64_) s.flags = in.U32();
    segments_.push_back(s);
  }
  return true;
}

bool ElfFile::ReadSections(uint64_t at, uint32_t count, uint32_t entry_size,
                           uint32_t names) {
  const size_t need = is64_ ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
  if (entry_size < need) return false;
  const absl::Span<const uint8_t> bytes =
      Slice(at, uint64_t{count} * entry_size);
  if (bytes.empty()) return false;
  sections_.reserve(count);
  std::vector<uint32_t> name_at;
  name_at.reserve(count);
  for (uint32_t i = 0; i < count; ++i) {
    ByteReader in(bytes.subspan(size_t{i} * entry_size, entry_size), order_);
    Section s;
    name_at.push_back(in.U32());
    s.type = in.U32();
    s.flags = Word(in, is64_);
    s.address = Word(in, is64_);
    s.offset = Word(in, is64_);
    s.size = Word(in, is64_);
    s.link = in.U32();
    s.info = in.U32();
    Word(in, is64_);  // sh_addralign
    s.entry_size = Word(in, is64_);
    sections_.push_back(s);
  }
  if (names >= sections_.size()) return false;
  const absl::Span<const uint8_t> table = Bytes(sections_[names]);
  for (uint32_t i = 0; i < count; ++i) {
    sections_[i].name = StringAt(table, name_at[i], kMaxSectionNameSize);
    if (sections_[i].type != SHT_NOBITS && sections_[i].size > 0 &&
        Bytes(sections_[i]).empty()) {
      damaged_ = true;
    }
  }
  return !table.empty();
}

const ElfFile::Section* ElfFile::Find(absl::string_view name) const {
  for (const Section& s : sections_) {
    if (s.name == name) return &s;
  }
  return nullptr;
}

absl::Span<const uint8_t> ElfFile::Bytes(const Section& section) const {
  if (section.type == SHT_NOBITS) return {};
  return Slice(section.offset, section.size);
}

BuildId ElfFile::ReadBuildId() const {
  uint64_t left = 2 * file_->bytes().size();  // notes may overlap
  const auto find = [&](absl::Span<const uint8_t> notes) {
    if (notes.size() > left) return BuildId();
    left -= notes.size();
    return BuildIdInNotes(notes, order_);
  };
  for (const Segment& s : segments_) {
    if (s.type != PT_NOTE) continue;
    BuildId id = find(Slice(s.offset, s.file_size));
    if (!id.empty()) return id;
  }
  // Relocatable files have sections only; in separate debug files the segments
  // may point to where the notes were.
  for (const Section& s : sections_) {
    if (s.type != SHT_NOTE) continue;
    BuildId id = find(Bytes(s));
    if (!id.empty()) return id;
  }
  return {};
}

std::optional<ElfFile::DebugLink> ElfFile::debug_link() const {
  const Section* section = Find(".gnu_debuglink");
  if (section == nullptr) return std::nullopt;
  ByteReader in(Bytes(*section), order_);
  DebugLink link;
  link.name = std::string(in.CString());
  in.Skip((4 - in.offset() % 4) % 4);
  link.crc = in.U32();
  if (!in.ok() || link.name.empty()) return std::nullopt;
  return link;
}

std::optional<ElfFile::AltLink> ElfFile::alt_link() const {
  const Section* section = Find(".gnu_debugaltlink");
  if (section == nullptr) return std::nullopt;
  ByteReader in(Bytes(*section), order_);
  AltLink link;
  link.name = std::string(in.CString());
  link.build_id = BuildId(in.Rest());
  if (!in.ok() || link.name.empty() || link.build_id.empty()) {
    return std::nullopt;
  }
  return link;
}

// Modules of the kernel have linkage tables without bytes before their code;
// the code of a separate debug file has none anywhere.
bool ElfFile::has_code() const {
  bool has_sections = false;
  for (const Section& s : sections_) {
    if ((s.flags & SHF_EXECINSTR) == 0 || (s.flags & SHF_ALLOC) == 0) continue;
    if (s.type != SHT_NOBITS) return true;
    has_sections = true;
  }
  return !has_sections &&
         std::any_of(segments_.begin(), segments_.end(), [](const Segment& s) {
           return s.type == PT_LOAD && (s.flags & PF_X) != 0 && s.file_size > 0;
         });
}

uint32_t ElfFile::SymbolCount(const Section& table) const {
  const size_t entry = is64_ ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
  return static_cast<uint32_t>(
      std::min<size_t>(Bytes(table).size() / entry, ~0u));
}

absl::string_view ElfFile::Sym::name(size_t max_size) const {
  return StringAt(names.subspan(0, max_size), 0);
}

ElfFile::Sym ElfFile::ReadSymbol(ByteReader& in,
                                 absl::Span<const uint8_t> strings) const {
  Sym sym;
  const uint32_t name = in.U32();
  if (name < strings.size()) sym.names = strings.subspan(name);
  if (is64_) {
    sym.info = in.U8();
    sym.other = in.U8();
    sym.section = in.U16();
    sym.value = in.U64();
    sym.size = in.U64();
  } else {
    sym.value = in.U32();
    sym.size = in.U32();
    sym.info = in.U8();
    sym.other = in.U8();
    sym.section = in.U16();
  }
  return sym;
}

void ElfFile::ForEachSymbol(
    const Section& table,
    absl::FunctionRef<void(uint32_t, const Sym&)> visit) const {
  if (table.link >= sections_.size()) return;
  const absl::Span<const uint8_t> strings = Bytes(sections_[table.link]);
  const uint32_t count = SymbolCount(table);
  ByteReader in(Bytes(table), order_);
  for (uint32_t i = 0; i < count; ++i) {
    visit(i, ReadSymbol(in, strings));
  }
}

ElfFile::Sym ElfFile::SymbolAt(const Section& table, uint32_t index) const {
  if (table.link >= sections_.size()) return {};
  const size_t entry = is64_ ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
  ByteReader in(Bytes(table).subspan(index * entry, entry), order_);
  return ReadSymbol(in, Bytes(sections_[table.link]));
}

void ElfFile::ForEachRelocation(
    const Section& table, absl::FunctionRef<void(const Rel&)> visit) const {
  const size_t entry = (is64_ ? 16 : 8) + (table.type != SHT_RELA ? 0
                                           : is64_                ? 8
                                                                  : 4);
  ByteReader in(Bytes(table), order_);
  while (in.left() >= entry) {
    Rel rel;
    rel.offset = Word(in, is64_);
    const uint64_t info = Word(in, is64_);
    rel.symbol = static_cast<uint32_t>(info >> (is64_ ? 32 : 8));
    rel.type = static_cast<uint32_t>(info & (is64_ ? 0xffffffff : 0xff));
    if (table.type == SHT_RELA) {
      rel.addend = is64_ ? static_cast<int64_t>(in.U64())
                         : static_cast<int32_t>(in.U32());
    }
    visit(rel);
  }
}

std::optional<uint64_t> ElfFile::AddressOfOffset(uint64_t offset) const {
  // Neighbouring segments may share a page of the file. Prefers code.
  const Segment* found = nullptr;
  for (const Segment& s : segments_) {
    if (s.type != PT_LOAD || offset < s.offset ||
        offset - s.offset >= s.file_size) {
      continue;
    }
    if (found == nullptr || (s.flags & PF_X) != 0) found = &s;
  }
  if (found == nullptr) return std::nullopt;
  return found->address + (offset - found->offset);
}

std::optional<uint64_t> ElfFile::OffsetOfAddress(uint64_t address) const {
  for (const Segment& s : segments_) {
    if (s.type == PT_LOAD && address >= s.address &&
        address - s.address < s.file_size) {
      return s.offset + (address - s.address);
    }
  }
  return std::nullopt;
}

}  // namespace perf2x
