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
// information. Not thread-safe.
class ElfCode final : public CodeImage {
 public:
  // `elf` must not be null; `dwarf` may be null. `symbols` must be finished and
  // outlive the object. Without `address_delta`, a Frame::address is a file
  // offset. With it, Frame::address plus `*address_delta` is the link-time
  // address.
  ElfCode(std::shared_ptr<const ElfFile> elf, const SymbolIndex& symbols,
          std::shared_ptr<const DwarfFile> dwarf,
          std::optional<uint64_t> address_delta);

  std::optional<uint64_t> AddressOf(uint64_t frame_address) const override;
  absl::Span<const uint8_t> BytesAt(uint64_t address) const override;
  uint64_t code_start() const override;
  Segment SegmentAt(uint64_t address) const override;
  bool is_position_independent() const override;
  std::optional<Function> FunctionAt(uint64_t address) const override;
  bool decodes() const override { return instructions_.decodes(); }
  uint32_t InstructionSize(uint64_t address) override {
    return instructions_.SizeAt(address);
  }
  std::optional<uint64_t> NextInstruction(uint64_t address,
                                          uint64_t end) override {
    return instructions_.Next(address, end);
  }
  bool RunsThrough(uint64_t start, uint64_t end) override {
    return instructions_.RunsThrough(start, end);
  }
  Block BlockAt(uint64_t address) override {
    return instructions_.BlockAt(address);
  }
  void AppendLines(uint64_t address, std::vector<CodeLine>* lines) override;
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
