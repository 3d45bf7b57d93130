// SPDX-License-Identifier: Apache-2.0

// The table of architectures. Adding one is adding an entry here.
#include <elf.h>

#include "converter/base/machine.h"

namespace perf2x {
namespace {

using Names = absl::string_view[];
using Registers = uint8_t[];
using Calls = CallInstruction[];
using Trampolines = SignalFrameLayout::Trampoline[];
constexpr SignalFrameForm kRealTime = SignalFrameForm::kRealTime;
constexpr SignalFrameForm kOld = SignalFrameForm::kOld;
constexpr uint8_t kNone = kNoRegister;

// A string literal may contain zeros.
template <size_t N>
constexpr absl::string_view Code(const char (&bytes)[N]) {
  return {bytes, N - 1};
}

constexpr Registers kInOrder = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
                                11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
                                22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
constexpr absl::Span<const uint8_t> FirstRegisters(size_t n) {
  return absl::MakeConstSpan(kInOrder, n);
}

constexpr uint16_t kSiginfo = 128;  // bytes of siginfo_t
// Of newer <elf.h>.
constexpr uint16_t kEmLoongArch = 258;
constexpr uint32_t kLoongArchRelative = 3;

// x86, 64 and 32 bits: arch/x86/include/uapi/asm/perf_regs.h; the numbers of
// registers are from the System V ABI supplements.
constexpr Names kX8664Names = {"x86_64"};
constexpr Names kI386Names = {"i686", "i586", "i486", "i386"};
constexpr Names kX86RegisterNames = {
    "AX",         "BX",         "CX",         "DX",         "SI",
    "DI",         "BP",         "SP",         "IP",         "FLAGS",
    "CS",         "SS",         "DS",         "ES",         "FS",
    "GS",         "R8",         "R9",         "R10",        "R11",
    "R12",        "R13",        "R14",        "R15",        "",
    "",           "",           "",           "",           "",
    "",           "",           "XMM0_low",   "XMM0_high",  "XMM1_low",
    "XMM1_high",  "XMM2_low",   "XMM2_high",  "XMM3_low",   "XMM3_high",
    "XMM4_low",   "XMM4_high",  "XMM5_low",   "XMM5_high",  "XMM6_low",
    "XMM6_high",  "XMM7_low",   "XMM7_high",  "XMM8_low",   "XMM8_high",
    "XMM9_low",   "XMM9_high",  "XMM10_low",  "XMM10_high", "XMM11_low",
    "XMM11_high", "XMM12_low",  "XMM12_high", "XMM13_low",  "XMM13_high",
    "XMM14_low",  "XMM14_high", "XMM15_low",  "XMM15_high"};
constexpr uint8_t kX86FirstExtended = 24;
constexpr Names kX86ExtendedRegisterNames = {
    "R16", "R17", "R18", "R19", "R20", "R21", "R22", "R23", "R24",
    "R25", "R26", "R27", "R28", "R29", "R30", "R31", "",    "SSP"};
constexpr Registers kX8664OfPerf = {
    0,     3,     2,     1,     4, 5, 6,  7,  kNone, kNone, kNone, kNone,
    kNone, kNone, kNone, kNone, 8, 9, 10, 11, 12,    13,    14,    15};
constexpr Registers kI386OfPerf = {0, 3, 1, 2, 6, 7, 5, 4};

constexpr Calls kX86Calls = {
    {5, 0xff, 0xe8},
    // FF /2, by the form of its ModRM byte (bits 8 to 15): a register; memory
    // without, with 1 byte and with 4 bytes of displacement. ModRM & 7 is 4 if
    // a SIB byte follows, and 5 instead of no displacement means 4 bytes.
    {2, 0xf8ff, 0xd0ff},
    {2, 0xf8ff, 0x10ff, 0x0600, 0x0400},
    {6, 0xffff, 0x15ff},
    {3, 0xffff, 0x14ff, 0x070000, 0x050000},
    {7, 0x07ffff, 0x0514ff},
    {3, 0xf8ff, 0x50ff, 0x0700, 0x0400},
    {4, 0xffff, 0x54ff},
    {6, 0xf8ff, 0x90ff, 0x0700, 0x0400},
    {7, 0xffff, 0x94ff},
};
// ret, retf, iret, hlt
constexpr absl::string_view kX86Returns = "\xc3\xcb\xcf\xf4";

constexpr Trampolines kX8664Trampolines = {
    // mov $15, %rax; syscall
    {kRealTime, Code("\x48\xc7\xc0\x0f\0\0\0\x0f\x05")},
    {kRealTime, Code("\xb8\x0f\0\0\0\x0f\x05")},  // the same with %eax
};
// ucontext: flags, link and stack (40 bytes), R8 … R15, RDI, RSI, RBP, RBX,
// RDX, RAX, RCX, RSP, RIP.
constexpr Registers kX8664Saved = {8, 9, 10, 11, 12, 13, 14, 15,
                                   5, 4, 6,  3,  1,  0,  2,  7};
constexpr Trampolines kI386Trampolines = {
    // mov $173, %eax; int $0x80
    {kRealTime, Code("\xb8\xad\0\0\0\xcd\x80")},
    // pop %eax; mov $119, %eax; int $0x80
    {kOld, Code("\x58\xb8\x77\0\0\0\xcd\x80")},
};
// sigcontext: four segment registers, EDI … EAX, two words, EIP.
constexpr Registers kI386Saved = {7, 6, 5, 4, 3, 2, 1, 0};

// ARM, 64 and 32 bits. A 32-bit task under a 64-bit kernel has the register
// bits of a 32-bit kernel.
constexpr Names kAarch64Names = {"aarch64", "arm64"};
constexpr Names kArmNames = {"arm", "arm*"};
constexpr Names kAarch64RegisterNames = {
    "X0",  "X1",  "X2",  "X3",  "X4",  "X5",  "X6",  "X7",  "X8",  "X9",
    "X10", "X11", "X12", "X13", "X14", "X15", "X16", "X17", "X18", "X19",
    "X20", "X21", "X22", "X23", "X24", "X25", "X26", "X27", "X28", "FP",
    "LR",  "SP",  "PC",  "",    "",    "",    "",    "",    "",    "",
    "",    "",    "",    "",    "",    "",    "VG"};
constexpr Names kArmRegisterNames = {"R0", "R1", "R2", "R3", "R4",  "R5",
                                     "R6", "R7", "R8", "R9", "R10", "FP",
                                     "IP", "SP", "LR", "PC"};
// BL, BLR, and BLR with authentication.
constexpr Calls kAarch64Calls = {{4, 0xfc000000, 0x94000000},
                                 {4, 0xfffffc1f, 0xd63f0000},
                                 {4, 0xfefff800, 0xd63f0800}};
// BL and BLX to a label, BLX to a register, and MOV LR, PC before a jump.
constexpr Calls kArmCalls = {{4, 0x0f000000, 0x0b000000},
                             {4, 0xfe000000, 0xfa000000},
                             {4, 0x0ffffff0, 0x012fff30},
                             {8, 0xffffffff, 0xe1a0e00f}};
// BL and BLX, to a register and to a label.
constexpr Calls kThumbCalls = {{2, 0xff87, 0x4780},
                               {4, 0xc000f800, 0xc000f000}};
constexpr Trampolines kAarch64Trampolines = {
    // mov x8, #139; svc #0
    {kRealTime, Code("\x68\x11\x80\xd2\x01\0\0\xd4")},
};
constexpr Trampolines kArmTrampolines = {
    // mov r7, #173; svc 0, and in Thumb
    {kRealTime, Code("\xad\x70\xa0\xe3\0\0\0\xef")},
    {kRealTime, Code("\xad\x27\x00\xdf")},
    // mov r7, #119; svc 0, and in Thumb
    {kOld, Code("\x77\x70\xa0\xe3\0\0\0\xef")},
    {kOld, Code("\x77\x27\x00\xdf")},
};

// s390x: arch/s390/include/uapi/asm/perf_regs.h. The ABI supplement numbers the
// floating-point registers from 16 in pairs.
constexpr Names kS390xNames = {"s390x", "s390"};
constexpr Names kS390xRegisterNames = {
    "R0",  "R1",  "R2",  "R3",  "R4",  "R5",   "R6",  "R7", "R8",
    "R9",  "R10", "R11", "R12", "R13", "R14",  "R15", "F0", "F1",
    "F2",  "F3",  "F4",  "F5",  "F6",  "F7",   "F8",  "F9", "F10",
    "F11", "F12", "F13", "F14", "F15", "MASK", "PC"};
constexpr Registers kS390xOfPerf = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
                                    11, 12, 13, 14, 15, 16, 20, 17, 21, 18, 22,
                                    19, 23, 24, 28, 25, 29, 26, 30, 27, 31};
// BASR, BRAS, BAS, BRASL. BASR to no register does not jump.
constexpr Calls kS390Calls = {{2, 0xff00, 0x0d00, 0x000f, 0x0000},
                              {4, 0xff0f0000, 0xa7050000},
                              {4, 0xff000000, 0x4d000000},
                              {6, 0xff0f0000, 0xc0050000}};
constexpr Trampolines kS390xTrampolines = {
    {kRealTime, Code("\x0a\xad")},  // svc 173
    {kOld, Code("\x0a\x77")},       // svc 119
};

constexpr Names kPpc64Names = {"ppc64", "ppc64le"};
constexpr Names kPpcNames = {"ppc"};
constexpr Names kRiscvNames = {"riscv64"};
constexpr Names kLoongArchNames = {"loongarch64"};
constexpr Names kSparc64Names = {"sparc64"};
constexpr Names kSparcNames = {"sparc"};
constexpr Names kMipsNames = {"mips"};

constexpr Machine kMachines[] = {
    {.perf_name = "x86",
     .names = kX8664Names,
     .elf_machine = EM_X86_64,
     .sibling_elf_machine = EM_386,
     .register_names = kX86RegisterNames,
     .dwarf_of_perf = kX8664OfPerf,
     .perf_pc = 8,
     .first_extended = kX86FirstExtended,
     .extended_register_names = kX86ExtendedRegisterNames,
     .tracked_registers = 17,
     .sp = 7,
     .fp = 6,
     .pc = 16,
     .calls = kX86Calls,
     .one_byte_terminators = kX86Returns,
     .relative_relocation = R_X86_64_RELATIVE,
     .abs64_relocation = R_X86_64_64,
     .abs32_relocation = R_X86_64_32,
     .indirect_relocation = R_X86_64_IRELATIVE,
     .has_jumps_in_plt = true,
     .frame_pair_offset = 0,
     .signal_frames = {.trampolines = kX8664Trampolines,
                       .registers_offset = 40,
                       .registers = kX8664Saved,
                       .pc_offset = 168}},
    {.perf_name = "x86",
     .names = kI386Names,
     .elf_machine = EM_386,
     .sibling_elf_machine = EM_X86_64,
     .address_size = 4,
     .register_names = kX86RegisterNames,
     .dwarf_of_perf = kI386OfPerf,
     .perf_pc = 8,
     .first_extended = kX86FirstExtended,
     .extended_register_names = kX86ExtendedRegisterNames,
     .tracked_registers = 9,
     .sp = 4,
     .fp = 5,
     .pc = 8,
     .calls = kX86Calls,
     .one_byte_terminators = kX86Returns,
     .abs32_relocation = R_386_32,
     .has_jumps_in_plt = true,
     .frame_pair_offset = 0,
     // A real-time frame: sig, pinfo, puc; the latter points to the ucontext.
     .signal_frames = {.trampolines = kI386Trampolines,
                       .real_time = {.offset = 8,
                                     .indirect = true,
                                     .pointee_offset = 20},
                       .old = {.offset = 4},
                       .registers_offset = 16,
                       .registers = kI386Saved,
                       .pc_offset = 56}},
    {.perf_name = "arm64",
     .names = kAarch64Names,
     .elf_machine = EM_AARCH64,
     .sibling_elf_machine = EM_ARM,
     .has_generic_syscalls = true,
     .register_names = kAarch64RegisterNames,
     .dwarf_of_perf = FirstRegisters(32),
     .perf_pc = 32,
     .tracked_registers = 32,
     .sp = 31,
     .fp = 29,
     .link = 30,
     .calls = kAarch64Calls,
     // User addresses have 48 bits; pointer authentication codes are above
     // them.
     .return_address_mask = (uint64_t{1} << 48) - 1,
     .relative_relocation = R_AARCH64_RELATIVE,
     .abs64_relocation = R_AARCH64_ABS64,
     .abs32_relocation = R_AARCH64_ABS32,
     .plt_header_size = 32,
     .plt_entry_size = 16,
     .has_mapping_symbols = true,
     .frame_pair_offset = 0,
     .has_signed_returns = true,
     // siginfo; ucontext: flags, link, stack, 128 bytes of signal mask, 8 to
     // align; sigcontext: fault address, X0 … X30, SP, PC.
     .signal_frames = {.trampolines = kAarch64Trampolines,
                       .real_time = {.offset = kSiginfo + 176},
                       .registers_offset = 8,
                       .registers = kInOrder,
                       .pc_offset = 264}},
    {.perf_name = "arm",
     .names = kArmNames,
     .elf_machine = EM_ARM,
     .sibling_elf_machine = EM_AARCH64,
     .address_size = 4,
     // Thumb code has no frame pointers that a kernel could follow.
     .frame_chain_option = "",
     .register_names = kArmRegisterNames,
     .dwarf_of_perf = FirstRegisters(16),
     .perf_pc = 15,
     .tracked_registers = 16,
     .sp = 13,
     .fp = 11,
     .link = 14,
     .pc = 15,
     .calls = kArmCalls,
     .odd_calls = kThumbCalls,
     .return_address_mask = ~uint64_t{1},
     .abs32_relocation = R_ARM_ABS32,
     .plt_header_size = 20,
     .plt_entry_size = 12,
     .has_mapping_symbols = true,
     .has_exidx = true,
     // ucontext: flags, link, stack; sigcontext: trap, error, mask, R0 … PC.
     .signal_frames = {.trampolines = kArmTrampolines,
                       .real_time = {.offset = kSiginfo},
                       .registers_offset = 32,
                       .registers = FirstRegisters(16),
                       .pc_offset = 32 + 15 * 4}},
    {.perf_name = "s390",
     .names = kS390xNames,
     .elf_machine = EM_S390,
     .order = ByteOrder::kBig,
     .frame_chain_option = "-mbackchain",
     .register_names = kS390xRegisterNames,
     .dwarf_of_perf = kS390xOfPerf,
     .perf_pc = 33,
     .tracked_registers = 32,
     .sp = 15,
     .fp = 11,
     .link = 14,
     .calls = kS390Calls,
     .relative_relocation = R_390_RELATIVE,
     .abs64_relocation = R_390_64,
     .abs32_relocation = R_390_32,
     .cfa_is_caller_sp = false,  // the ABI has a save area below the CFA
     // After the save area of 160 bytes: the old frame has a mask and a
     // pointer; the real-time frame has an instruction, siginfo and ucontext.
     // The context has the PSW's mask and address, then R0 … R15.
     .signal_frames = {.trampolines = kS390xTrampolines,
                       .real_time = {.offset = 160 + 8 + kSiginfo + 40},
                       .old = {.offset = 160 + 8, .indirect = true},
                       .registers_offset = 16,
                       .registers = FirstRegisters(16),
                       .pc_offset = 8}},
    {.perf_name = "powerpc",
     .names = kPpc64Names,
     .elf_machine = EM_PPC64,
     .relative_relocation = R_PPC64_RELATIVE,
     .abs64_relocation = R_PPC64_ADDR64,
     .abs32_relocation = R_PPC64_ADDR32},
    {.perf_name = "powerpc",
     .names = kPpcNames,
     .elf_machine = EM_PPC,
     .address_size = 4},
    {.perf_name = "riscv",
     .names = kRiscvNames,
     .elf_machine = EM_RISCV,
     .has_generic_syscalls = true,
     .relative_relocation = R_RISCV_RELATIVE,
     .abs64_relocation = R_RISCV_64,
     .abs32_relocation = R_RISCV_32},
    {.perf_name = "loongarch",
     .names = kLoongArchNames,
     .elf_machine = kEmLoongArch,
     .has_generic_syscalls = true,
     .relative_relocation = kLoongArchRelative},
    {.perf_name = "sparc", .names = kSparc64Names, .elf_machine = EM_SPARCV9},
    {.perf_name = "sparc",
     .names = kSparcNames,
     .elf_machine = EM_SPARC,
     .address_size = 4},
    {.perf_name = "mips",
     .names = kMipsNames,
     .elf_machine = EM_MIPS,
     .address_size = 4},
};
}  // namespace

absl::Span<const Machine> Machines() { return kMachines; }

}  // namespace perf2x
