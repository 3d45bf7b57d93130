// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_UNWIND_MACHINE_H_
#define PERF2X_UNWIND_MACHINE_H_

#include <array>
#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "converter/base/byte_order.h"
#include "converter/base/byte_reader.h"

namespace perf2x {

// Registers are identified by their DWARF numbers. kMaxRegisters is one above
// the largest number that unwinding tracks. On s390x, floating-point registers
// (16 to 31) are tracked because functions save general registers in them.
inline constexpr int kMaxRegisters = 33;
inline constexpr uint8_t kNoRegister = 0xff;

// The kernel's two forms of a signal frame.
enum class SignalFrame : uint8_t {
  kRealTime,  // rt_sigframe, with a siginfo
  kOld,       // registers only
};

// The sigreturn trampoline and the signal frame of one architecture: the
// kernel's asm/sigcontext.h and kernel/signal.c.
struct SignalFrames {
  // The code that a signal handler returns to.
  struct Trampoline {
    SignalFrame frame = SignalFrame::kRealTime;
    absl::string_view code = {};
  };
  // The context (sigcontext) begins at sp + `offset`. If `indirect`, the word
  // there is a pointer, and the context begins `pointee_offset` bytes after the
  // pointer's target.
  struct Context {
    uint16_t offset = 0;
    bool indirect = false;
    uint16_t pointee_offset = 0;
  };
  absl::Span<const Trampoline> trampolines = {};
  Context real_time = {}, old = {};
  // DWARF registers of consecutive words of the context, which begin at
  // `registers_offset`; kNoRegister: the word is skipped.
  uint16_t registers_offset = 0;
  absl::Span<const uint8_t> registers = {};
  uint16_t pc_offset = 0;  // in the context
};

// Properties of one architecture, as a 32-bit or a 64-bit task sees it. The
// table is in architectures.cc. Static lifetime.
struct Machine {
  // uname -m of recordings that have such tasks; "arm*" matches a prefix.
  absl::Span<const absl::string_view> names = {};
  uint8_t task_abi = 2;      // PERF_SAMPLE_REGS_ABI_*: 1: 32 bits, 2: 64 bits
  uint8_t address_size = 8;  // bytes
  ByteOrder order = ByteOrder::kLittle;
  uint16_t elf_machine = 0;  // EM_*, the key of ElfMachineOf()
  uint8_t registers = 0;     // DWARF registers 0 … registers-1 are tracked
  uint8_t sp = 0, fp = 0;
  // Holds the return address on entry of a function. kNoRegister: it is on the
  // stack.
  uint8_t link = kNoRegister;
  // A DWARF register that is the program counter itself. kNoRegister: none.
  uint8_t pc = kNoRegister;
  // DWARF register of each bit of perf's register mask (the kernel's
  // asm/perf_regs.h). kNoRegister: not tracked.
  std::array<uint8_t, 64> dwarf_of_perf{};
  uint8_t perf_pc = 0;  // bit of the program counter

  // Bits of a return address that are the address. The other bits hold a
  // pointer authentication code or select an instruction set.
  uint64_t return_address_mask = ~uint64_t{0};
  // If set, odd return addresses are Thumb code.
  bool has_odd_code = false;
  // If set, the caller's stack pointer is the CFA unless the CFI has a rule for
  // it.
  bool cfa_is_caller_sp = true;
  // If set, the frame pointer points to the caller's saved frame pointer, and
  // the return address is in the next word.
  bool has_frame_pointer_chain = false;
  // If set, DW_CFA_GNU_window_save toggles signing of return addresses.
  bool has_signed_returns = false;
  // If set, .ARM.exidx is read. Functions push the link register first, and
  // "cannot unwind" is no proof of an outermost frame.
  bool has_exidx = false;
  SignalFrames signal_frames = {};

  // Returns a mask of the bits of an address.
  uint64_t mask() const {
    return address_size == 4 ? 0xffffffff : ~uint64_t{0};
  }
};

// Returns the machine of the user-space registers in a recording made on `arch`
// (uname -m), for the register ABI of a sample (1: 32-bit task, 2: 64-bit
// task). Null if stacks of such a task cannot be unwound.
const Machine* MachineOf(absl::string_view arch, uint64_t abi);

// The values of registers at one point of execution.
class Registers {
 public:
  Registers() = default;
  // Decodes the registers of a sample: the values of the bits in `mask`, lowest
  // bit first. Registers whose value is missing stay unknown.
  Registers(const Machine& machine, uint64_t mask, const WordSpan& values);

  bool known(uint8_t reg) const {
    return reg < kMaxRegisters && (known_ >> reg & 1) != 0;
  }
  // Requires known(reg).
  uint64_t operator[](uint8_t reg) const { return values_[reg]; }
  void Set(uint8_t reg, uint64_t value) {
    values_[reg] = value;
    known_ |= uint64_t{1} << reg;
  }
  void Forget(uint8_t reg) { known_ &= ~(uint64_t{1} << reg); }

  std::optional<uint64_t> pc;

 private:
  std::array<uint64_t, kMaxRegisters> values_{};
  uint64_t known_ = 0;
};

}  // namespace perf2x

#endif  // PERF2X_UNWIND_MACHINE_H_
