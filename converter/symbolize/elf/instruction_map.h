// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_ELF_INSTRUCTION_MAP_H_
#define PERF2X_SYMBOLIZE_ELF_INSTRUCTION_MAP_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "converter/model/code_image.h"
#include "converter/symbolize/elf/elf_file.h"
#include "converter/symbolize/elf/symbol_index.h"

namespace perf2x {

// The instructions of an ELF file by link-time address: x86 by Zydis, AArch64
// by their fixed size. Decodes the code between two symbols, or after a
// section's last symbol, at the first look-up there. As in llvm-profgen
// (ProfiledBinary::disassemble()), code before a section's first symbol, and
// .plt, have no instructions. Nor have data between code, as literal pools of
// AArch64, if the file has the assembler's mapping symbols. Charges the decoded
// bytes to the file's budget; once that is exhausted, no more are decoded. Not
// thread-safe.
class InstructionMap {
 public:
  // Both must outlive the map. `symbols` must be finished.
  InstructionMap(const ElfFile& elf, const SymbolIndex& symbols);

  // Returns true for x86 and AArch64, unless the file is relocatable. If false,
  // the map has no instructions.
  bool can_decode() const { return machine_ != Machine::kOther; }
  // See the functions of CodeImage after can_decode().
  uint32_t SizeAt(uint64_t address);
  std::optional<uint64_t> Next(uint64_t address, uint64_t end);
  std::optional<uint64_t> Previous(uint64_t address);
  CodeImage::Transfer TransferAt(uint64_t address);
  bool RunsThrough(uint64_t start, uint64_t end);
  CodeImage::Block BlockAt(uint64_t address);

 private:
  enum class Machine { kOther, kX86, kX86With64Bits, kArm64 };
  struct Instruction {
    uint64_t address = 0;
    uint8_t size = 0;
    bool ends_run = false;    // a call, a return or an unconditional jump
    bool ends_block = false;  // a return or a branch
    bool starts_block = false;
    CodeImage::Transfer transfer = CodeImage::Transfer::kNone;
  };
  // The code between two symbols.
  struct Stretch {
    uint64_t start = 0, end = 0;
    uint32_t section = 0;
  };
  using Code = std::vector<Instruction>;

  // Returns the first stretch that ends after `address`; null: none.
  const Stretch* StretchFrom(uint64_t address) const;
  // Returns the first instruction at or after `address`.
  static Code::const_iterator FirstFrom(uint64_t address, const Code& code);
  const Code& CodeOf(const Stretch& stretch);
  // Returns the instruction that starts at `address`; null: none does.
  const Instruction* At(uint64_t address);
  // Marks the starts of basic blocks. `targets` are the targets of direct
  // branches.
  static void MarkBlocks(std::vector<uint64_t> targets, Code* code);
  void DecodeX86(const Stretch& stretch, absl::Span<const uint8_t> bytes,
                 Code* code) const;
  void DecodeArm64(const Stretch& stretch, absl::Span<const uint8_t> bytes,
                   Code* code) const;

  const ElfFile& elf_;
  Machine machine_ = Machine::kOther;
  std::vector<Stretch> stretches_;             // ascending, disjoint
  absl::flat_hash_map<uint64_t, Code> codes_;  // by the stretch's start
};

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_ELF_INSTRUCTION_MAP_H_
