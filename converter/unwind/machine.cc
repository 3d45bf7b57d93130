#include "converter/unwind/machine.h"

#include <elf.h>

#include "absl/strings/match.h"

namespace perf2x {
namespace {

using PerfMap = std::array<uint8_t, 64>;

constexpr PerfMap NoRegisters() {
  PerfMap map{};
  for (uint8_t& reg : map) reg = kNoRegister;
  return map;
}

// perf and DWARF count alike.
constexpr PerfMap FirstRegisters(int n) {
  PerfMap map = NoRegisters();
  for (int i = 0; i < n; ++i) map[i] = static_cast<uint8_t>(i);
  return map;
}

// arch/x86/include/uapi/asm/perf_regs.h: AX BX CX DX SI DI BP SP IP … R8-R15
// from bit 16. Numbers from the System V ABI supplements.
constexpr PerfMap X8664Registers() {
  PerfMap map = NoRegisters();
  constexpr uint8_t kFirst[] = {0, 3, 2, 1, 4, 5, 6, 7};
  for (int i = 0; i < 8; ++i) {
    map[i] = kFirst[i];
    map[16 + i] = static_cast<uint8_t>(8 + i);
  }
  return map;
}

constexpr PerfMap I386Registers() {
  PerfMap map = NoRegisters();
  constexpr uint8_t kFirst[] = {0, 3, 1, 2, 6, 7, 5, 4};
  for (int i = 0; i < 8; ++i) map[i] = kFirst[i];
  return map;
}

// arch/s390/include/uapi/asm/perf_regs.h: R0-R15, FP0-FP15, MASK, PC. The ABI
// supplement numbers the floating-point registers from 16 in pairs.
constexpr PerfMap S390xRegisters() {
  PerfMap map = FirstRegisters(16);
  constexpr uint8_t kFloat[] = {0, 2,  4,  6,  1, 3,  5,  7,
                                8, 10, 12, 14, 9, 11, 13, 15};
  for (int i = 0; i < 16; ++i)
    map[16 + kFloat[i]] = static_cast<uint8_t>(16 + i);
  return map;
}

constexpr Machine kX86_64 = {
    Architecture::kX86_64, 8,  ByteOrder::kLittle, EM_X86_64, 17, 7, 6,
    kNoRegister,           16, X8664Registers(),   8};
constexpr Machine kI386 = {
    Architecture::kI386, 4, ByteOrder::kLittle, EM_386, 9, 4, 5,
    kNoRegister,         8, I386Registers(),    8};
constexpr Machine kAarch64 = {Architecture::kAarch64,
                              8,
                              ByteOrder::kLittle,
                              EM_AARCH64,
                              32,
                              31,
                              29,
                              30,
                              kNoRegister,
                              FirstRegisters(32),
                              32};
// 32-bit tasks under a 64-bit kernel have the same bits.
constexpr Machine kArm = {
    Architecture::kArm, 4, ByteOrder::kLittle, EM_ARM, 16, 13, 11, 14, 15,
    FirstRegisters(16), 15};
constexpr Machine kS390x = {Architecture::kS390x,
                            8,
                            ByteOrder::kBig,
                            EM_S390,
                            32,
                            15,
                            11,
                            14,
                            kNoRegister,
                            S390xRegisters(),
                            33};

}  // namespace

const Machine* MachineOf(absl::string_view arch, uint64_t abi) {
  const bool task32 = abi == 1;
  if (abi != 1 && abi != 2) return nullptr;
  // A 32-bit perf calls a 64-bit machine by its 32-bit name.
  if (arch == "x86_64" || arch == "i386" || arch == "i486" || arch == "i586" ||
      arch == "i686") {
    return task32 ? &kI386 : &kX86_64;
  }
  if (arch == "aarch64" || absl::StartsWith(arch, "arm")) {
    return task32 ? &kArm : &kAarch64;
  }
  return arch == "s390x" && !task32 ? &kS390x : nullptr;
}

Registers::Registers(const Machine& machine, uint64_t mask,
                     const WordSpan& values) {
  size_t next = 0;
  for (int bit = 0; bit < 64 && next < values.size(); ++bit) {
    if ((mask >> bit & 1) == 0) continue;
    const uint64_t value = values[next++] & machine.mask();
    if (bit == machine.perf_pc) pc = value;
    const uint8_t reg = machine.dwarf_of_perf[bit];
    if (reg != kNoRegister) Set(reg, value);
  }
}

}  // namespace perf2x
