#ifndef PERF2X_UNWIND_MACHINE_H_
#define PERF2X_UNWIND_MACHINE_H_

#include <array>
#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"
#include "converter/base/byte_order.h"
#include "converter/base/byte_reader.h"

namespace perf2x {

enum class Architecture : uint8_t { kX86_64, kI386, kAarch64, kArm, kS390x };

// Registers are named by their DWARF numbers, which count from 0 on every
// machine here. kMaxRegisters is one above the largest that unwinding needs:
// s390x keeps general registers in floating-point ones, 16 to 31.
inline constexpr int kMaxRegisters = 33;
inline constexpr uint8_t kNoRegister = 0xff;

// What unwinding needs to know of a machine.
struct Machine {
  Architecture architecture;
  uint8_t address_size;  // bytes
  ByteOrder order;
  uint16_t elf_machine;  // EM_*
  uint8_t registers;     // DWARF registers 0 … registers-1 are followed
  uint8_t sp, fp;
  // The register that holds the return address on entry of a function;
  // kNoRegister: it is on the stack.
  uint8_t link;
  // The register that stands for the program counter itself, which CFI may
  // name; kNoRegister: none does.
  uint8_t pc;
  // DWARF register of each bit of perf's register mask (the kernel's
  // asm/perf_regs.h); kNoRegister: not followed. `perf_pc` is the bit of the
  // program counter.
  std::array<uint8_t, 64> dwarf_of_perf;
  uint8_t perf_pc;

  // The bits of an address.
  uint64_t mask() const {
    return address_size == 4 ? 0xffffffff : ~uint64_t{0};
  }
};

// The machine of the user-space registers in a recording made on `arch` (as
// uname says it), with the register ABI of a sample (1: 32-bit task, 2: 64-bit
// task). Null when it cannot be unwound.
const Machine* MachineOf(absl::string_view arch, uint64_t abi);

// The values of registers at one point of execution.
class Registers {
 public:
  Registers() = default;
  // Takes the registers of a sample: the values of the bits in `mask`, lowest
  // bit first. Values that `mask` promises and `values` lacks are not known.
  Registers(const Machine& machine, uint64_t mask, const WordSpan& values);

  bool known(uint8_t reg) const {
    return reg < kMaxRegisters && (known_ >> reg & 1) != 0;
  }
  // Only for known ones.
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
