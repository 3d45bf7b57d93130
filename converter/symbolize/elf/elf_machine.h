// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_ELF_ELF_MACHINE_H_
#define PERF2X_SYMBOLIZE_ELF_ELF_MACHINE_H_

#include <array>
#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"

namespace perf2x {

// Reads an unsigned integer of `size` bytes at an address. Returns false if the
// memory is not available.
using ReadCode =
    absl::FunctionRef<bool(uint64_t address, int size, uint64_t* value)>;

// The machine code before an address. Unavailable bytes are 0, which is part of
// no call instruction.
class PrecedingCode {
 public:
  PrecedingCode(uint64_t address, ReadCode read);
  bool empty() const { return known_ == 0; }
  // The byte `n` (1 to 8) before the address.
  uint8_t operator[](size_t n) const { return bytes_[n - 1]; }
  // Little-endian words that begin `n` bytes before the address.
  uint32_t U16(size_t n) const {
    return static_cast<uint32_t>((*this)[n] | (*this)[n - 1] << 8);
  }
  uint32_t U32(size_t n) const { return U16(n) | U16(n - 2) << 16; }

 private:
  // The longest call: FF /2 with SIB byte and displacement on x86, and the
  // eight bytes of a pair of ARM instructions.
  static constexpr size_t kMaxLength = 8;
  std::array<uint8_t, kMaxLength> bytes_{};
  size_t known_ = 0;
};

// Properties of ELF files for one processor. See its ELF supplement. The table
// is in elf_machine.cc; registers and signal frames are in
// unwind/architectures.cc.
struct ElfMachine {
  uint16_t machine = 0;  // EM_*
  // Returns true if the code ends with a call instruction. Null: any address
  // may follow a call.
  bool (*ends_with_call)(const PrecedingCode&) = nullptr;
  // Like ends_with_call, for code at odd addresses (Thumb). Null: there is no
  // such code.
  bool (*ends_with_odd_call)(const PrecedingCode&) = nullptr;
  // One-byte instructions after which execution does not continue.
  absl::string_view one_byte_returns = {};

  // Relocation types; 0: not known. This one adds the load address
  // (R_*_RELATIVE).
  uint32_t relative_relocation = 0;
  // Store symbol + addend in 8 and 4 bytes; used in debug information.
  uint32_t word_relocation = 0, half_relocation = 0;
  // Stores the result of the resolver function (IFUNC) whose address is the
  // addend (R_*_IRELATIVE).
  uint32_t indirect_relocation = 0;

  // If set, entries of the procedure linkage table (PLT) are recognized by
  // their indirect jump. Otherwise PLT entries follow a header, in the order of
  // their relocations. Sizes are in bytes; 0: the section's entry size, or 16.
  bool has_jumps_in_plt = false;
  uint8_t plt_header_size = 0, plt_entry_size = 0;
  // If set, the assembler marks code and data with symbols $a, $d, $t, $x.
  bool has_mapping_symbols = false;
};

// Returns the entry for `machine` (EM_*). For other machines the entry has the
// defaults above.
const ElfMachine& ElfMachineOf(uint16_t machine);

// Returns true if the instruction before `address` is a call, or cannot be
// checked. On 32-bit ARM the lowest bit of `address` selects Thumb.
bool MayFollowCall(uint16_t elf_machine, uint64_t address, ReadCode read);

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_ELF_ELF_MACHINE_H_
