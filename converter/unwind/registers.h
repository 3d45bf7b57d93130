// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_UNWIND_REGISTERS_H_
#define PERF2X_UNWIND_REGISTERS_H_

#include <array>
#include <cstdint>
#include <optional>

#include "converter/base/byte_reader.h"
#include "converter/base/machine.h"

namespace perf2x {

// The values of registers at one point of execution. `reg` is a DWARF register
// number below kMaxRegisters. The program counter is stored in `pc` alone, even
// if it has a DWARF number (Machine::pc).
class Registers {
 public:
  // All registers are unknown.
  Registers() = default;
  // Decodes the registers of a sample (PERF_SAMPLE_REGS_USER). `values` has one
  // value for each bit set in `mask`, lowest bit first. Keeps `pc` and the
  // registers that have a number in Machine::dwarf_of_perf. If there are too
  // few values, the last registers stay unknown.
  Registers(const Machine& machine, uint64_t mask, const WordSpan& values);

  // Returns false also for numbers from kMaxRegisters on.
  bool known(uint8_t reg) const {
    return reg < kMaxRegisters && (known_ >> reg & 1) != 0;
  }
  // Requires known(reg).
  uint64_t operator[](uint8_t reg) const { return values_[reg]; }
  // Makes a register known. Does not change `pc`.
  void Set(uint8_t reg, uint64_t value) {
    values_[reg] = value;
    known_ |= uint64_t{1} << reg;
  }
  // Makes a register unknown.
  void Forget(uint8_t reg) { known_ &= ~(uint64_t{1} << reg); }

  // The program counter of a sample or a signal frame; nullopt: not known. The
  // unwinder does not update it: it has its own for each frame.
  std::optional<uint64_t> pc;

 private:
  std::array<uint64_t, kMaxRegisters> values_{};
  uint64_t known_ = 0;
};

}  // namespace perf2x

#endif  // PERF2X_UNWIND_REGISTERS_H_
