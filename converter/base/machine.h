// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_MACHINE_H_
#define PERF2X_BASE_MACHINE_H_

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "converter/base/byte_order.h"

namespace perf2x {

// Registers are identified by their DWARF numbers. Unwinding tracks only
// registers below kMaxRegisters. These include the floating-point registers of
// s390x (16 to 31), in which functions save general registers.
inline constexpr int kMaxRegisters = 33;
inline constexpr uint8_t kNoRegister = 0xff;  // stands for no register

// A form of call instruction. `w` is the code's first four bytes, or `length`
// bytes if that is less, loaded in the machine's byte order. Code has this form
// if (w & mask) == bits, unless (w & except_mask) == except_bits.
struct CallInstruction {
  static constexpr uint8_t kMaxLength = 8;
  // Bytes from the start of the call to the return address. On 32-bit ARM, two
  // instructions may form one call.
  uint8_t length = 4;
  uint32_t mask = 0, bits = 0;
  uint32_t except_mask = 0, except_bits = 0;  // mask 0: no exception
};

// The kernel's two forms of a signal frame.
enum class SignalFrameForm : uint8_t {
  kRealTime,  // rt_sigframe, with a siginfo
  kOld,       // registers only
};

// How to recognize the signal frames of one architecture, and where they hold
// the registers. See the kernel's asm/sigcontext.h and kernel/signal.c.
struct SignalFrameLayout {
  // The code that a signal handler returns to.
  struct Trampoline {
    SignalFrameForm frame = SignalFrameForm::kRealTime;
    absl::string_view code = {};
  };
  // Where the interrupted context begins: at sp + `offset`. If `indirect`, the
  // word at sp + `offset` is an address A, and the context begins at A +
  // `pointee_offset`.
  struct Context {
    uint16_t offset = 0;
    bool indirect = false;
    uint16_t pointee_offset = 0;
  };
  absl::Span<const Trampoline> trampolines = {};
  Context real_time = {}, old = {};
  // The words of the context from byte `registers_offset` on hold these DWARF
  // registers. kNoRegister: the word holds another value.
  uint16_t registers_offset = 0;
  absl::Span<const uint8_t> registers = {};
  uint16_t pc_offset = 0;  // bytes from the start of the context
};

// Properties of one architecture, as a 32-bit or a 64-bit task sees it. The
// table in architectures.cc holds all machines. Static lifetime.
struct Machine {
  // perf's name of the architecture (e_machine_to_perf_arch()). Machines may
  // share it.
  absl::string_view perf_name = {};
  // Names in uname -m, the preferred one first. "arm*" matches a prefix.
  absl::Span<const absl::string_view> names = {};
  uint16_t elf_machine = 0;  // EM_*
  // EM_* of the other machine whose tasks the same kernel runs, such as i386
  // for x86-64. 0: none.
  uint16_t sibling_elf_machine = 0;
  uint8_t address_size = 8;  // bytes
  // Byte order of code and stacks. Valid only if tracked_registers > 0.
  ByteOrder order = ByteOrder::kLittle;
  // If set, system calls have the numbers of asm-generic/unistd.h.
  bool has_generic_syscalls = false;
  // The compiler option that makes programs keep the frame pointers, which the
  // kernel follows. Empty: no option suffices.
  absl::string_view frame_chain_option = "-fno-omit-frame-pointer";

  // Names and DWARF registers of the bits in perf's register mask (the kernel's
  // asm/perf_regs.h). A bit that is not used has an empty name, or its index is
  // past the end.
  absl::Span<const absl::string_view> register_names = {};
  absl::Span<const uint8_t> dwarf_of_perf = {};  // kNoRegister: not tracked
  uint8_t perf_pc = 0;                           // bit of the program counter
  // Names of the mask's bits from bit `first_extended` on, in samples with a
  // separate block of SIMD registers. Empty: `register_names` has them.
  uint8_t first_extended = 0;
  absl::Span<const absl::string_view> extended_register_names = {};

  // Unwinding tracks DWARF registers 0 to tracked_registers - 1. 0: stacks are
  // not unwound.
  uint8_t tracked_registers = 0;
  uint8_t sp = 0, fp = 0;  // numbers of the stack and the frame pointer
  // Holds the return address on entry of a function. kNoRegister: the return
  // address is on the stack.
  uint8_t link = kNoRegister;
  // A DWARF register that is the program counter itself. kNoRegister: none.
  uint8_t pc = kNoRegister;

  // Call instructions. Empty: any address may follow a call.
  absl::Span<const CallInstruction> calls = {};
  // Call instructions of code whose addresses are odd (Thumb). Empty: there is
  // no such code.
  absl::Span<const CallInstruction> odd_calls = {};
  // Instructions of one byte after which execution does not continue: returns
  // and halts.
  absl::string_view one_byte_terminators = {};
  // The bits of a return address that belong to the address. The other bits
  // hold a pointer authentication code or select an instruction set.
  uint64_t return_address_mask = ~uint64_t{0};

  // Types of relocations, R_*. 0: not known.
  uint32_t relative_relocation = 0;  // stores load address + addend
  // Store symbol + addend in 8 and in 4 bytes. Debug information uses them.
  uint32_t abs64_relocation = 0, abs32_relocation = 0;
  // R_*_IRELATIVE: stores what the resolver function (IFUNC) at the addend
  // returns.
  uint32_t indirect_relocation = 0;
  // If set, entries of the procedure linkage table (PLT) are recognized by
  // their indirect jump. If not, PLT entries follow a header, in the order of
  // their relocations. Sizes are in bytes. If plt_entry_size is 0, header and
  // entries have the section's entry size. If that is 0, too, they have 16
  // bytes.
  bool has_jumps_in_plt = false;
  uint8_t plt_header_size = 0, plt_entry_size = 0;
  // If set, the assembler marks code and data with symbols $a, $d, $t, $x.
  bool has_mapping_symbols = false;

  // If set, the caller's stack pointer is the CFA, unless the CFI has a rule
  // for the stack pointer.
  bool cfa_is_caller_sp = true;
  // A frame saves the caller's frame pointer this many bytes from its own frame
  // pointer. The next word is the return address. The caller's stack pointer
  // points just after both words. Empty: the words have no fixed place.
  std::optional<int8_t> frame_pair_offset = {};
  // If set, DW_CFA_GNU_window_save toggles signing of return addresses.
  bool has_signed_returns = false;
  // Set for 32-bit ARM. Unwinding reads .ARM.exidx. EXIDX_CANTUNWIND does not
  // prove that a frame is outermost. Functions save the link register above all
  // other registers.
  bool has_exidx = false;
  SignalFrameLayout signal_frames = {};

  // Returns a mask of the 32 or 64 bits of an address.
  uint64_t address_mask() const {
    return address_size == 4 ? 0xffffffff : ~uint64_t{0};
  }
  // Returns true if odd addresses are Thumb code.
  bool has_odd_code() const { return !odd_calls.empty(); }
};

// Returns all machines. Several may share a perf_name: the first of them is the
// default for that name.
absl::Span<const Machine> Machines();

// Returns the machine that has `name` (uname -m) among its names. Returns null
// if there is none.
const Machine* FindMachine(absl::string_view name);

// Returns the machine of ELF files for `elf_machine` (EM_*). Returns Machine()
// if it is not known.
const Machine& MachineOfElf(uint16_t elf_machine);

// Returns the machine of a sample's user-space registers. `arch` is uname -m of
// the recording; `abi` is the sample's register ABI (1: 32-bit task, 2: 64-bit
// task). Returns null for other values of `abi`, for an unknown `arch`, and if
// stacks of such a task are not unwound.
const Machine* MachineOf(absl::string_view arch, uint64_t abi);

}  // namespace perf2x

#endif  // PERF2X_BASE_MACHINE_H_
