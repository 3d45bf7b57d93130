// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_UNWIND_REGISTERS_H_
#define PERF2X_UNWIND_REGISTERS_H_

#include <array>
#include <cstdint>
#include <optional>

#include "converter/base/byte_reader.h"
#include "converter/base/machine.h"

namespace perf2x {

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

#endif  // PERF2X_UNWIND_REGISTERS_H_
