// SPDX-License-Identifier: Apache-2.0
#include "converter/unwind/registers.h"

namespace perf2x {

Registers::Registers(const Machine& machine, uint64_t mask,
                     const WordSpan& values) {
  size_t next = 0;
  for (uint8_t bit = 0; bit < 64 && next < values.size(); ++bit) {
    if ((mask >> bit & 1) == 0) continue;
    const uint64_t value = values[next++] & machine.address_mask();
    if (bit == machine.perf_pc) pc = value;
    if (bit >= machine.dwarf_of_perf.size()) continue;
    const uint8_t reg = machine.dwarf_of_perf[bit];
    if (reg != kNoRegister) Set(reg, value);
  }
}

}  // namespace perf2x
