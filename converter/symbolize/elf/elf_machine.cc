// SPDX-License-Identifier: Apache-2.0
#include "converter/symbolize/elf/elf_machine.h"

#include <elf.h>

namespace perf2x {
namespace {

// Returns the length of an indirect call (FF /2) with these ModRM and SIB
// bytes.
size_t LengthOfIndirectCall(uint8_t modrm, uint8_t sib) {
  const int mod = modrm >> 6, rm = modrm & 7;
  const bool has_sib = mod != 3 && rm == 4;
  size_t length = has_sib ? 3 : 2;
  if (mod == 1) length += 1;
  if (mod == 2) length += 4;
  if (mod == 0 && (rm == 5 || (has_sib && (sib & 7) == 5))) length += 4;
  return length;
}

bool IsX86Call(const PrecedingCode& code) {
  if (code[5] == 0xe8) return true;
  for (size_t n = 2; n <= 7; ++n) {
    if (code[n] != 0xff || (code[n - 1] >> 3 & 7) != 2) continue;
    if (LengthOfIndirectCall(code[n - 1], n > 2 ? code[n - 2] : 0) == n) {
      return true;
    }
  }
  return false;
}

// BL, BLR, and BLR with authentication.
bool IsAarch64Call(const PrecedingCode& code) {
  const uint32_t word = code.U32(4);
  return word >> 26 == 0x25 || (word & 0xfffffc1f) == 0xd63f0000 ||
         (word & 0xfefff800) == 0xd63f0800;
}

// BL and BLX, to a label and to a register.
bool IsThumbCall(const PrecedingCode& code) {
  if ((code.U16(2) & 0xff87) == 0x4780) return true;
  return (code.U16(4) & 0xf800) == 0xf000 && (code.U16(2) & 0xc000) == 0xc000;
}

bool IsArmCall(const PrecedingCode& code) {
  constexpr uint32_t kMoveLinkPc = 0xe1a0e00f;  // followed by a jump
  const uint32_t word = code.U32(4);
  return (word & 0x0f000000) == 0x0b000000 ||
         (word & 0xfe000000) == 0xfa000000 ||
         (word & 0x0ffffff0) == 0x012fff30 || code.U32(8) == kMoveLinkPc;
}

// BASR, BRAS and BAS, BRASL.
bool IsS390Call(const PrecedingCode& code) {
  const bool basr = code[2] == 0x0d && (code[1] & 0xf) != 0;
  const bool bras = code[4] == 0xa7 && (code[3] & 0xf) == 5;
  const bool brasl = code[6] == 0xc0 && (code[5] & 0xf) == 5;
  return basr || bras || code[4] == 0x4d || brasl;
}

constexpr uint16_t kLoongArch = 258;  // EM_LOONGARCH of newer <elf.h>
constexpr uint32_t kLoongArchRelative = 3;

// ret, retf, iret, hlt
constexpr absl::string_view kX86Returns = "\xc3\xcb\xcf\xf4";

constexpr ElfMachine kMachines[] = {
    {.machine = EM_X86_64,
     .ends_with_call = IsX86Call,
     .one_byte_returns = kX86Returns,
     .relative_relocation = R_X86_64_RELATIVE,
     .word_relocation = R_X86_64_64,
     .half_relocation = R_X86_64_32,
     .indirect_relocation = R_X86_64_IRELATIVE,
     .has_jumps_in_plt = true},
    {.machine = EM_386,
     .ends_with_call = IsX86Call,
     .one_byte_returns = kX86Returns,
     .half_relocation = R_386_32,
     .has_jumps_in_plt = true},
    {.machine = EM_AARCH64,
     .ends_with_call = IsAarch64Call,
     .relative_relocation = R_AARCH64_RELATIVE,
     .word_relocation = R_AARCH64_ABS64,
     .half_relocation = R_AARCH64_ABS32,
     .plt_header_size = 32,
     .plt_entry_size = 16,
     .has_mapping_symbols = true},
    {.machine = EM_ARM,
     .ends_with_call = IsArmCall,
     .ends_with_odd_call = IsThumbCall,
     .half_relocation = R_ARM_ABS32,
     .plt_header_size = 20,
     .plt_entry_size = 12,
     .has_mapping_symbols = true},
    {.machine = EM_S390,
     .ends_with_call = IsS390Call,
     .relative_relocation = R_390_RELATIVE,
     .word_relocation = R_390_64,
     .half_relocation = R_390_32},
    {.machine = EM_PPC64,
     .relative_relocation = R_PPC64_RELATIVE,
     .word_relocation = R_PPC64_ADDR64,
     .half_relocation = R_PPC64_ADDR32},
    {.machine = EM_RISCV,
     .relative_relocation = R_RISCV_RELATIVE,
     .word_relocation = R_RISCV_64,
     .half_relocation = R_RISCV_32},
    {.machine = kLoongArch, .relative_relocation = kLoongArchRelative},
};
constexpr ElfMachine kOther;

}  // namespace

PrecedingCode::PrecedingCode(uint64_t address, ReadCode read) {
  for (size_t n = 1; n <= kMaxLength; ++n) {
    uint64_t byte = 0;
    if (!read(address - n, 1, &byte)) break;
    bytes_[n - 1] = static_cast<uint8_t>(byte);
    known_ = n;
  }
}

const ElfMachine& ElfMachineOf(uint16_t machine) {
  for (const ElfMachine& m : kMachines) {
    if (m.machine == machine) return m;
  }
  return kOther;
}

bool MayFollowCall(uint16_t elf_machine, uint64_t address, ReadCode read) {
  const ElfMachine& machine = ElfMachineOf(elf_machine);
  const bool odd = machine.ends_with_odd_call != nullptr && (address & 1) != 0;
  const auto ends_with_call =
      odd ? machine.ends_with_odd_call : machine.ends_with_call;
  if (ends_with_call == nullptr) return true;
  const PrecedingCode code(address - odd, read);
  return code.empty() || ends_with_call(code);
}

}  // namespace perf2x
