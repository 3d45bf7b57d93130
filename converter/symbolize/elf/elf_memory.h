// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_ELF_ELF_MEMORY_H_
#define PERF2X_SYMBOLIZE_ELF_ELF_MEMORY_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "converter/symbolize/elf/elf_file.h"

namespace perf2x {

// The memory of a program or library at its link-time address. Only the parts
// of segments that are in the file exist; .bss does not. Word and Find apply
// relative relocations (DT_RELA of an ET_DYN file), no others. Immutable.
class ElfMemory {
 public:
  explicit ElfMemory(std::shared_ptr<const ElfFile> elf);

  const ElfFile& elf() const { return *elf_; }
  size_t word_size() const { return elf_->is64() ? 8 : 4; }  // bytes
  // Returns the file's bytes from `address` to the end of its segment, without
  // relocations. Empty if the file has none there.
  absl::Span<const uint8_t> At(uint64_t address) const;
  // Returns the relocated word at `address`. A word that a relocation sets is
  // returned even if the file has no bytes there; other words give nullopt
  // then.
  std::optional<uint64_t> Word(uint64_t address) const;
  // Returns the addresses of words that have `value`: aligned words as stored
  // in the file, and words that a relocation sets, aligned or not. Returns at
  // most `limit` addresses, unordered; an address may occur twice. Scans all
  // segments.
  std::vector<uint64_t> Find(uint64_t value, size_t limit) const;

 private:
  void ReadRelocations(absl::Span<const uint8_t> entries);

  const std::shared_ptr<const ElfFile> elf_;
  // Address and value of relocated words, ascending.
  std::vector<std::pair<uint64_t, uint64_t>> relocated_;
};

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_ELF_ELF_MEMORY_H_
