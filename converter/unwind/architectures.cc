// SPDX-License-Identifier: Apache-2.0

// The table of architectures. Adding one: an entry here, and one in
// symbolize/elf/elf_machine.cc for its call instructions, relocations and
// procedure linkage table.
#include <elf.h>

#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "converter/unwind/machine.h"

namespace perf2x {
namespace {

using PerfRegisters = std::array<uint8_t, 64>;

constexpr PerfRegisters NoRegisters() {
  PerfRegisters map{};
  for (uint8_t& reg : map) reg = kNoRegister;
  return map;
}

// The first `n` registers, if perf and DWARF number them alike.
constexpr PerfRegisters FirstRegisters(int n) {
  PerfRegisters map = NoRegisters();
  for (int i = 0; i < n; ++i) map[i] = static_cast<uint8_t>(i);
  return map;
}

// arch/x86/include/uapi/asm/perf_regs.h: AX BX CX DX SI DI BP SP IP … R8-R15
// from bit 16. Numbers from the System V ABI supplements.
constexpr PerfRegisters X8664Registers() {
  PerfRegisters map = NoRegisters();
  constexpr uint8_t kFirst[] = {0, 3, 2, 1, 4, 5, 6, 7};
  for (int i = 0; i < 8; ++i) {
    map[i] = kFirst[i];
    map[16 + i] = static_cast<uint8_t>(8 + i);
  }
  return map;
}

constexpr PerfRegisters I386Registers() {
  PerfRegisters map = NoRegisters();
  constexpr uint8_t kFirst[] = {0, 3, 1, 2, 6, 7, 5, 4};
  for (int i = 0; i < 8; ++i) map[i] = kFirst[i];
  return map;
}

// arch/s390/include/uapi/asm/perf_regs.h: R0-R15, FP0-FP15, MASK, PC. The ABI
// supplement numbers the floating-point registers from 16 in pairs.
constexpr PerfRegisters S390xRegisters() {
  PerfRegisters map = FirstRegisters(16);
  constexpr uint8_t kFloat[] = {0, 2,  4,  6,  1, 3,  5,  7,
                                8, 10, 12, 14, 9, 11, 13, 15};
  for (int i = 0; i < 16; ++i) {
    map[16 + kFloat[i]] = static_cast<uint8_t>(16 + i);
  }
  return map;
}

using Trampoline = SignalFrames::Trampoline;
constexpr SignalFrame kRealTime = SignalFrame::kRealTime;
constexpr SignalFrame kOld = SignalFrame::kOld;

// A string literal may contain zeros.
template <size_t N>
constexpr absl::string_view Code(const char (&bytes)[N]) {
  return {bytes, N - 1};
}

constexpr uint8_t kInOrder[] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
                                11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
                                22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
constexpr uint16_t kSiginfo = 128;  // bytes of siginfo_t

// A 32-bit perf reports a 64-bit machine by its 32-bit name.
constexpr absl::string_view kX86Names[] = {"x86_64", "i386", "i486", "i586",
                                           "i686"};

constexpr Trampoline kX8664Trampolines[] = {
    // mov $15, %rax; syscall
    {kRealTime, Code("\x48\xc7\xc0\x0f\0\0\0\x0f\x05")},
    {kRealTime, Code("\xb8\x0f\0\0\0\x0f\x05")},  // the same with %eax
};
// ucontext: flags, link and stack (40 bytes), R8 … R15, RDI, RSI, RBP, RBX,
// RDX, RAX, RCX, RSP, RIP.
constexpr uint8_t kX8664Saved[] = {8, 9, 10, 11, 12, 13, 14, 15,
                                   5, 4, 6,  3,  1,  0,  2,  7};

constexpr Trampoline kI386Trampolines[] = {
    // mov $173, %eax; int $0x80
    {kRealTime, Code("\xb8\xad\0\0\0\xcd\x80")},
    // pop %eax; mov $119, %eax; int $0x80
    {kOld, Code("\x58\xb8\x77\0\0\0\xcd\x80")},
};
// sigcontext: four segment registers, EDI … EAX, two words, EIP.
constexpr uint8_t kI386Saved[] = {7, 6, 5, 4, 3, 2, 1, 0};

// 32-bit tasks under a 64-bit kernel have the same register bits.
constexpr absl::string_view kArmNames[] = {"aarch64", "arm*"};

constexpr Trampoline kAarch64Trampolines[] = {
    // mov x8, #139; svc #0
    {kRealTime, Code("\x68\x11\x80\xd2\x01\0\0\xd4")},
};
constexpr Trampoline kArmTrampolines[] = {
    // mov r7, #173; svc 0, and in Thumb
    {kRealTime, Code("\xad\x70\xa0\xe3\0\0\0\xef")},
    {kRealTime, Code("\xad\x27\x00\xdf")},
    // mov r7, #119; svc 0, and in Thumb
    {kOld, Code("\x77\x70\xa0\xe3\0\0\0\xef")},
    {kOld, Code("\x77\x27\x00\xdf")},
};

constexpr absl::string_view kS390xNames[] = {"s390x"};
constexpr Trampoline kS390xTrampolines[] = {
    {kRealTime, Code("\x0a\xad")},  // svc 173
    {kOld, Code("\x0a\x77")},       // svc 119
};

constexpr Machine kMachines[] = {
    {.names = kX86Names,
     .task_abi = 2,
     .address_size = 8,
     .order = ByteOrder::kLittle,
     .elf_machine = EM_X86_64,
     .registers = 17,
     .sp = 7,
     .fp = 6,
     .pc = 16,
     .dwarf_of_perf = X8664Registers(),
     .perf_pc = 8,
     .has_frame_pointer_chain = true,
     .signal_frames = {.trampolines = kX8664Trampolines,
                       .registers_offset = 40,
                       .registers = kX8664Saved,
                       .pc_offset = 168}},
    {.names = kX86Names,
     .task_abi = 1,
     .address_size = 4,
     .order = ByteOrder::kLittle,
     .elf_machine = EM_386,
     .registers = 9,
     .sp = 4,
     .fp = 5,
     .pc = 8,
     .dwarf_of_perf = I386Registers(),
     .perf_pc = 8,
     .has_frame_pointer_chain = true,
     // A real-time frame: sig, pinfo, puc; the latter points to the ucontext.
     .signal_frames = {.trampolines = kI386Trampolines,
                       .real_time = {.offset = 8,
                                     .indirect = true,
                                     .pointee_offset = 20},
                       .old = {.offset = 4},
                       .registers_offset = 16,
                       .registers = kI386Saved,
                       .pc_offset = 56}},
    {.names = kArmNames,
     .task_abi = 2,
     .address_size = 8,
     .order = ByteOrder::kLittle,
     .elf_machine = EM_AARCH64,
     .registers = 32,
     .sp = 31,
     .fp = 29,
     .link = 30,
     .dwarf_of_perf = FirstRegisters(32),
     .perf_pc = 32,
     // User addresses have 48 bits; pointer authentication codes are above
     // them.
     .return_address_mask = (uint64_t{1} << 48) - 1,
     .has_frame_pointer_chain = true,
     .has_signed_returns = true,
     // siginfo; ucontext: flags, link, stack, 128 bytes of signal mask, 8 to
     // align; sigcontext: fault address, X0 … X30, SP, PC.
     .signal_frames = {.trampolines = kAarch64Trampolines,
                       .real_time = {.offset = kSiginfo + 176},
                       .registers_offset = 8,
                       .registers = kInOrder,
                       .pc_offset = 264}},
    {.names = kArmNames,
     .task_abi = 1,
     .address_size = 4,
     .order = ByteOrder::kLittle,
     .elf_machine = EM_ARM,
     .registers = 16,
     .sp = 13,
     .fp = 11,
     .link = 14,
     .pc = 15,
     .dwarf_of_perf = FirstRegisters(16),
     .perf_pc = 15,
     .return_address_mask = ~uint64_t{1},
     .has_odd_code = true,
     .has_exidx = true,
     // ucontext: flags, link, stack; sigcontext: trap, error, mask, R0 … PC.
     .signal_frames = {.trampolines = kArmTrampolines,
                       .real_time = {.offset = kSiginfo},
                       .registers_offset = 32,
                       .registers = absl::MakeConstSpan(kInOrder, 16),
                       .pc_offset = 32 + 15 * 4}},
    {.names = kS390xNames,
     .task_abi = 2,
     .address_size = 8,
     .order = ByteOrder::kBig,
     .elf_machine = EM_S390,
     .registers = 32,
     .sp = 15,
     .fp = 11,
     .link = 14,
     .dwarf_of_perf = S390xRegisters(),
     .perf_pc = 33,
     .cfa_is_caller_sp = false,  // the ABI has a save area below the CFA
     // After the save area of 160 bytes: the old frame has a mask and a
     // pointer; the real-time frame has an instruction, siginfo and ucontext.
     // The context has the PSW's mask and address, then R0 … R15.
     .signal_frames = {.trampolines = kS390xTrampolines,
                       .real_time = {.offset = 160 + 8 + kSiginfo + 40},
                       .old = {.offset = 160 + 8, .indirect = true},
                       .registers_offset = 16,
                       .registers = absl::MakeConstSpan(kInOrder, 16),
                       .pc_offset = 8}},
};

bool Matches(absl::string_view name, absl::string_view arch) {
  return absl::ConsumeSuffix(&name, "*") ? absl::StartsWith(arch, name)
                                         : arch == name;
}

}  // namespace

const Machine* MachineOf(absl::string_view arch, uint64_t abi) {
  for (const Machine& machine : kMachines) {
    if (machine.task_abi != abi) continue;
    for (absl::string_view name : machine.names) {
      if (Matches(name, arch)) return &machine;
    }
  }
  return nullptr;
}

}  // namespace perf2x
