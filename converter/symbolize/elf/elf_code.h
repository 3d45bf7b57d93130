// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_ELF_ELF_CODE_H_
#define PERF2X_SYMBOLIZE_ELF_ELF_CODE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "converter/model/code_image.h"
#include "converter/symbolize/dwarf/dwarf_info.h"
#include "converter/symbolize/elf/elf_file.h"
#include "converter/symbolize/elf/instruction_map.h"
#include "converter/symbolize/elf/symbol_index.h"

namespace perf2x {

// The code of an ELF file, by its symbol table, its machine code and its debug
// information. CodeImage explains the terms. Addresses are link-time addresses.
// Not thread-safe, except for BytesAt.
class ElfCode final : public CodeImage {
 public:
  // `elf` must not be null; `dwarf` may be null. `symbols` must be finished and
  // outlive the object. Without `address_delta`, a Frame::address is a file
  // offset. With it, Frame::address plus `*address_delta` is the link-time
  // address.
  ElfCode(std::shared_ptr<const ElfFile> elf, const SymbolIndex& symbols,
          std::shared_ptr<const DwarfFile> dwarf,
          std::optional<uint64_t> address_delta);

  // Returns the link-time address of a Frame::address, see the constructor.
  // Nullopt if there is no `address_delta` and no loaded segment has the file
  // offset.
  std::optional<uint64_t> AddressOf(uint64_t frame_address) const override;
  // Returns the Frame::address of a link-time address. Nullopt if there is no
  // `address_delta` and no loaded segment has the address in the file.
  std::optional<uint64_t> FrameAddressOf(uint64_t address) const override;
  // Returns true for ELFCLASS64.
  uint16_t machine() const override { return elf_->machine(); }
  // Returns the file's bytes from `address` to the end of its segment (of .text
  // in a relocatable file). Empty if the file has none. Valid as long as this
  // object.
  absl::Span<const uint8_t> BytesAt(uint64_t address) const override;
  // Returns the start of the first executable segment, rounded down to 4 KiB; 0
  // if there is none.
  uint64_t code_start() const override;
  // Returns the executable segment that has `address`. Empty if none has it,
  // and for relocatable files.
  Segment SegmentAt(uint64_t address) const override;
  // Returns true for ET_DYN: libraries and position-independent programs.
  bool is_position_independent() const override;
  // Returns the function with `address` in [start, limit); nullopt if there is
  // none.
  std::optional<Function> FunctionAt(uint64_t address) const override;
  // Returns true for x86 and AArch64, unless the file is relocatable. The next
  // six functions require that.
  bool can_decode() const override { return instructions_.can_decode(); }
  // Returns the size in bytes of the instruction at `address`; 0 if none starts
  // there.
  uint32_t InstructionSize(uint64_t address) override {
    return instructions_.SizeAt(address);
  }
  // Returns the address of the first instruction in [address, end); nullopt if
  // there is none.
  std::optional<uint64_t> NextInstruction(uint64_t address,
                                          uint64_t end) override {
    return instructions_.Next(address, end);
  }
  // Returns the address of the last instruction before `address`; nullopt if
  // there is none.
  std::optional<uint64_t> PreviousInstruction(uint64_t address) override {
    return instructions_.Previous(address);
  }
  // Returns if the instruction at `address` is a call or a return.
  Transfer TransferAt(uint64_t address) override {
    return instructions_.TransferAt(address);
  }
  // Returns true if no instruction in [start, end) is a call, a return or an
  // unconditional direct jump. Returns false if the budget is exhausted.
  bool RunsThrough(uint64_t start, uint64_t end) override {
    return instructions_.RunsThrough(start, end);
  }
  // Returns the basic block of the first instruction at or after `address`; its
  // `instructions` is 0 if there is none.
  Block BlockAt(uint64_t address) override {
    return instructions_.BlockAt(address);
  }
  // Appends the functions at `address` with their lines, the outermost first.
  // Appends nothing without debug information.
  void AppendLines(uint64_t address, std::vector<CodeLine>* lines) override;
  // Appends all code ranges of the outermost function at `address`. Appends
  // nothing without debug information.
  void AppendRanges(uint64_t address, std::vector<Range>* ranges) override;

 private:
  void AddFunctions(const SymbolIndex& symbols);
  DwarfInfo* dwarf();  // null: none

  const std::shared_ptr<const ElfFile> elf_;
  const std::shared_ptr<const DwarfFile> dwarf_file_;
  const std::optional<uint64_t> address_delta_;
  std::vector<Function> functions_;  // ascending
  InstructionMap instructions_;
  std::unique_ptr<DwarfInfo> dwarf_;  // from the first look-up on
  std::vector<DwarfFrame> frames_;    // at the last address
};

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_ELF_ELF_CODE_H_
