// SPDX-License-Identifier: Apache-2.0
#include "converter/symbolize/elf/elf_memory.h"

#include <elf.h>

#include <algorithm>

#include "converter/base/byte_reader.h"
#include "converter/base/machine.h"

namespace perf2x {
namespace {

uint64_t ReadWord(ByteReader& in, size_t size) {
  return size == 8 ? in.U64() : in.U32();
}

}  // namespace

ElfMemory::ElfMemory(std::shared_ptr<const ElfFile> elf)
    : elf_(std::move(elf)) {
  if (elf_->type() != ET_DYN) return;
  for (const ElfFile::Segment& s : elf_->segments()) {
    if (s.type != PT_DYNAMIC) continue;
    uint64_t address = 0, size = 0;
    const absl::Span<const uint8_t> all = At(s.address);
    ByteReader in(all.subspan(0, s.file_size), elf_->order());
    while (in.left() >= 2 * word_size()) {
      const uint64_t tag = ReadWord(in, word_size());
      const uint64_t value = ReadWord(in, word_size());
      if (tag == DT_NULL) break;
      if (tag == DT_RELA) address = value;
      if (tag == DT_RELASZ) size = value;
    }
    if (address != 0) ReadRelocations(At(address).subspan(0, size));
    return;
  }
}

void ElfMemory::ReadRelocations(absl::Span<const uint8_t> entries) {
  const uint32_t relative = MachineOfElf(elf_->machine()).relative_relocation;
  if (relative == 0) return;  // not known for this machine
  ByteReader in(entries, elf_->order());
  while (in.left() >= 3 * word_size()) {
    const uint64_t address = ReadWord(in, word_size());
    const uint64_t info = ReadWord(in, word_size());
    const uint64_t addend = ReadWord(in, word_size());
    const uint64_t type = elf_->is64() ? info & 0xffffffff : info & 0xff;
    if (type == relative) relocated_.push_back({address, addend});
  }
  std::sort(relocated_.begin(), relocated_.end());
}

absl::Span<const uint8_t> ElfMemory::At(uint64_t address) const {
  const absl::Span<const uint8_t> file = elf_->file()->bytes();
  for (const ElfFile::Segment& s : elf_->segments()) {
    if (s.type != PT_LOAD || address < s.address) continue;
    const uint64_t skipped = address - s.address;
    if (skipped >= s.file_size || s.offset > file.size() ||
        skipped >= file.size() - s.offset) {
      continue;
    }
    return file.subspan(s.offset, s.file_size).subspan(skipped);
  }
  return {};
}

std::optional<uint64_t> ElfMemory::Word(uint64_t address) const {
  const auto it = std::lower_bound(relocated_.begin(), relocated_.end(),
                                   std::make_pair(address, uint64_t{0}));
  if (it != relocated_.end() && it->first == address) return it->second;
  ByteReader in(At(address), elf_->order());
  const uint64_t word = ReadWord(in, word_size());
  if (!in.ok()) return std::nullopt;
  return word;
}

std::vector<uint64_t> ElfMemory::Find(uint64_t value, size_t limit) const {
  std::vector<uint64_t> found;
  for (const auto& [address, word] : relocated_) {
    if (found.size() >= limit) return found;
    if (word == value) found.push_back(address);
  }
  uint64_t left = elf_->file()->bytes().size();  // segments may overlap
  for (const ElfFile::Segment& s : elf_->segments()) {
    if (s.type != PT_LOAD) continue;
    const uint64_t first =
        (s.address + word_size() - 1) / word_size() * word_size();
    if (first < s.address || first - s.address > s.file_size) continue;
    const absl::Span<const uint8_t> bytes = At(first);
    if (bytes.size() > left) break;
    left -= bytes.size();
    ByteReader in(bytes, elf_->order());
    while (in.left() >= word_size() && found.size() < limit) {
      const uint64_t at = first + in.offset();
      if (ReadWord(in, word_size()) == value) found.push_back(at);
    }
  }
  return found;
}

}  // namespace perf2x
