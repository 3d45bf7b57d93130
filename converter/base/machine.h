// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_MACHINE_H_
#define PERF2X_BASE_MACHINE_H_

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "converter/base/byte_order.h"

namespace perf2x {

// Registers are identified by their DWARF numbers. Unwinding tracks only those
// below kMaxRegisters. On s390x, floating-point registers (16 to 31) are
// tracked because functions save general registers in them.
inline constexpr int kMaxRegisters = 33;
inline constexpr uint8_t kNoRegister = 0xff;

// A form of call instruction. Its first four bytes, or all if it is shorter,
// are a word w in the machine's byte order. It is a call if (w & mask) == bits,
// unless (w & except_mask) == except_bits.
struct CallInstruction {
  static constexpr uint8_t kMaxLength = 8;
  // Bytes from its start to the return address. On 32-bit ARM a pair of
  // instructions may be a call.
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
// the registers: the kernel's asm/sigcontext.h and kernel/signal.c.
struct SignalFrameLayout {
  // The code that a signal handler returns to.
  struct Trampoline {
    SignalFrameForm frame = SignalFrameForm::kRealTime;
    absl::string_view code = {};
  };
  // Where the interrupted context begins: at sp + `offset` or, if `indirect`,
  // `pointee_offset` bytes after the address that is stored at sp + `offset`.
  // (The table counts from the ucontext or from the sigcontext in it.)
  struct Context {
    uint16_t offset = 0;
    bool indirect = false;
    uint16_t pointee_offset = 0;
  };
  absl::Span<const Trampoline> trampolines = {};
  Context real_time = {}, old = {};
  // The DWARF registers that consecutive words of the context hold, the first
  // at `registers_offset` from its start; kNoRegister: the word is skipped.
  uint16_t registers_offset = 0;
  absl::Span<const uint8_t> registers = {};
  uint16_t pc_offset = 0;  // in the context
};

// Properties of one architecture, as a 32-bit or a 64-bit task sees it. All of
// them are in the table of architectures.cc. Static lifetime.
struct Machine {
  // perf's own name, which machines may share (e_machine_to_perf_arch()).
  absl::string_view perf_name = {};
  // Names by uname -m, the preferred one first; "arm*" matches a prefix.
  absl::Span<const absl::string_view> names = {};
  uint16_t elf_machine = 0;  // EM_*
  // EM_* of the architecture with the other address size, if the 64-bit kernel
  // runs tasks of both. 0: none.
  uint16_t sibling = 0;
  uint8_t address_size = 8;  // bytes
  // Byte order of code and stacks. Set only where stacks are unwound.
  ByteOrder order = ByteOrder::kLittle;
  // If set, system calls have the numbers of asm-generic/unistd.h.
  bool has_generic_syscalls = false;
  // The compiler option with which programs keep the frame pointers that the
  // kernel follows. Empty: no option suffices.
  absl::string_view frame_chain_option = "-fno-omit-frame-pointer";

  // The bits of perf's register mask (the kernel's asm/perf_regs.h): names, and
  // DWARF registers. Bits without a name have an empty one or are past the end.
  absl::Span<const absl::string_view> register_names = {};
  absl::Span<const uint8_t> dwarf_of_perf = {};  // kNoRegister: not tracked
  uint8_t perf_pc = 0;                           // bit of the program counter
  // Names of the bits from `first_extended` on in samples whose SIMD registers
  // are in a block of their own. Empty: as in `register_names`.
  uint8_t first_extended = 0;
  absl::Span<const absl::string_view> extended_register_names = {};

  // How many DWARF registers are tracked, from 0 on. 0: stacks are not unwound.
  uint8_t registers = 0;
  uint8_t sp = 0, fp = 0;
  // Holds the return address on entry of a function. kNoRegister: it is on the
  // stack.
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
  absl::string_view one_byte_ends = {};
  // Bits of a return address that are the address. The other bits hold a
  // pointer authentication code or select an instruction set.
  uint64_t return_address_mask = ~uint64_t{0};

  // Relocation types; 0: not known. `relative_relocation` adds the load address
  // (R_*_RELATIVE).
  uint32_t relative_relocation = 0;
  // Store symbol + addend in 8 and 4 bytes; used in debug information.
  uint32_t word_relocation = 0, half_relocation = 0;
  // Stores the result of the resolver function (IFUNC) whose address is the
  // addend (R_*_IRELATIVE).
  uint32_t indirect_relocation = 0;
  // If set, entries of the procedure linkage table (PLT) are recognized by
  // their indirect jump. Otherwise PLT entries follow a header, in the order of
  // their relocations. Sizes are in bytes. If plt_entry_size is 0, header and
  // entries have the section's entry size, or 16 if it has none.
  bool has_jumps_in_plt = false;
  uint8_t plt_header_size = 0, plt_entry_size = 0;
  // If set, the assembler marks code and data with symbols $a, $d, $t, $x.
  bool has_mapping_symbols = false;

  // If set, the caller's stack pointer is the CFA, unless the CFI has a rule
  // for the stack pointer.
  bool cfa_is_caller_sp = true;
  // Offset in bytes, from the frame pointer, of the caller's saved frame
  // pointer. The return address is in the next word, and the caller's stack
  // pointer is just after it. Empty: the two have no fixed place.
  std::optional<int8_t> frame_pair_offset = {};
  // If set, DW_CFA_GNU_window_save toggles signing of return addresses.
  bool has_signed_returns = false;
  // If set, .ARM.exidx is read. Its EXIDX_CANTUNWIND does not prove that a
  // frame is outermost. Functions save the link register above all other
  // registers.
  bool has_exidx = false;
  SignalFrameLayout signal_frames = {};

  // Returns a mask of the bits of an address.
  uint64_t mask() const {
    return address_size == 4 ? 0xffffffff : ~uint64_t{0};
  }
  // Returns true if odd addresses are Thumb code.
  bool has_odd_code() const { return !odd_calls.empty(); }
};

// Returns all machines (architectures.cc). If several share a `perf_name` and
// nothing else tells them apart, the first of them is meant.
absl::Span<const Machine> Machines();

// Returns the machine that has `name` (uname -m) among its names. Null if there
// is none.
const Machine* FindMachine(absl::string_view name);

// Returns the machine of ELF files for `elf_machine` (EM_*). If it is not
// known, returns one with the defaults above, whose stacks are not unwound.
const Machine& MachineOfElf(uint16_t elf_machine);

// Returns the machine of the user-space registers in a recording made on `arch`
// (uname -m), for the register ABI of a sample (1: 32-bit task, 2: 64-bit
// task). Null for other values of `abi`, for an unknown `arch`, and if stacks
// of such a task are not unwound.
const Machine* MachineOf(absl::string_view arch, uint64_t abi);

}  // namespace perf2x

#endif  // PERF2X_BASE_MACHINE_H_
