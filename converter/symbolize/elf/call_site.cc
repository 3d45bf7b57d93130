#include "converter/symbolize/elf/call_site.h"

#include <elf.h>

#include <array>

namespace perf2x {
namespace {

// The longest call: FF /2 with SIB byte and displacement on x86, and the eight
// bytes of a pair of ARM instructions.
constexpr size_t kMaxLength = 8;

// The bytes before an address; those that are not known are 0, which is in no
// call.
class Before {
 public:
  Before(uint64_t address, ReadCode read) {
    for (size_t n = 1; n <= kMaxLength; ++n) {
      uint64_t byte = 0;
      if (!read(address - n, 1, &byte)) break;
      bytes_[n - 1] = static_cast<uint8_t>(byte);
      known_ = n;
    }
  }
  bool empty() const { return known_ == 0; }
  // The byte `n` before the address.
  uint8_t operator[](size_t n) const { return bytes_[n - 1]; }
  // Little-endian words that begin `n` bytes before it.
  uint32_t U16(size_t n) const {
    return static_cast<uint32_t>((*this)[n] | (*this)[n - 1] << 8);
  }
  uint32_t U32(size_t n) const { return U16(n) | U16(n - 2) << 16; }

 private:
  std::array<uint8_t, kMaxLength> bytes_{};
  size_t known_ = 0;
};

// FF /2: its length, as ModRM and SIB bytes say.
size_t LengthOfIndirectCall(uint8_t modrm, uint8_t sib) {
  const int mod = modrm >> 6, rm = modrm & 7;
  const bool has_sib = mod != 3 && rm == 4;
  size_t length = has_sib ? 3 : 2;
  if (mod == 1) length += 1;
  if (mod == 2) length += 4;
  if (mod == 0 && (rm == 5 || (has_sib && (sib & 7) == 5))) length += 4;
  return length;
}

bool IsX86Call(const Before& code) {
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
bool IsAarch64Call(const Before& code) {
  const uint32_t word = code.U32(4);
  return word >> 26 == 0x25 || (word & 0xfffffc1f) == 0xd63f0000 ||
         (word & 0xfefff800) == 0xd63f0800;
}

// BL and BLX, to a label and to a register.
bool IsThumbCall(const Before& code) {
  if ((code.U16(2) & 0xff87) == 0x4780) return true;
  return (code.U16(4) & 0xf800) == 0xf000 && (code.U16(2) & 0xc000) == 0xc000;
}

bool IsArmCall(const Before& code) {
  constexpr uint32_t kMoveLinkPc = 0xe1a0e00f;  // and a jump behind it
  const uint32_t word = code.U32(4);
  return (word & 0x0f000000) == 0x0b000000 ||
         (word & 0xfe000000) == 0xfa000000 ||
         (word & 0x0ffffff0) == 0x012fff30 || code.U32(8) == kMoveLinkPc;
}

// BASR, BRAS and BAS, BRASL.
bool IsS390Call(const Before& code) {
  const bool basr = code[2] == 0x0d && (code[1] & 0xf) != 0;
  const bool bras = code[4] == 0xa7 && (code[3] & 0xf) == 5;
  const bool brasl = code[6] == 0xc0 && (code[5] & 0xf) == 5;
  return basr || bras || code[4] == 0x4d || brasl;
}

}  // namespace

bool MayFollowCall(uint16_t elf_machine, uint64_t address, ReadCode read) {
  const bool thumb = elf_machine == EM_ARM && (address & 1) != 0;
  const Before code(address - thumb, read);
  if (code.empty()) return true;
  switch (elf_machine) {
    case EM_X86_64:
    case EM_386:
      return IsX86Call(code);
    case EM_AARCH64:
      return IsAarch64Call(code);
    case EM_ARM:
      return thumb ? IsThumbCall(code) : IsArmCall(code);
    case EM_S390:
      return IsS390Call(code);
    default:
      return true;
  }
}

}  // namespace perf2x
