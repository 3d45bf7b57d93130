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

// The memory of a program or library as it is once it is loaded where it was
// linked to: its segments, with relative relocations done (DT_RELA; those of
// other kinds have their result in the file). Immutable.
class ElfMemory {
 public:
  explicit ElfMemory(std::shared_ptr<const ElfFile> elf);

  const ElfFile& elf() const { return *elf_; }
  size_t word_size() const { return elf_->is64() ? 8 : 4; }
  // The bytes from `address` to the end of its segment, without relocations;
  // empty when nothing of the file is there.
  absl::Span<const uint8_t> At(uint64_t address) const;
  // The word at `address`; nullopt when nothing of the file is there.
  std::optional<uint64_t> Word(uint64_t address) const;
  // Where words are that hold `value`, at most `limit` of them. Takes time
  // proportional to the file's size.
  std::vector<uint64_t> Find(uint64_t value, size_t limit) const;

 private:
  void ReadRelocations(absl::Span<const uint8_t> entries);

  const std::shared_ptr<const ElfFile> elf_;
  // Address and value, ascending.
  std::vector<std::pair<uint64_t, uint64_t>> relocated_;
};

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_ELF_ELF_MEMORY_H_
