// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PERF_RECORDS_REGISTERS_H_
#define PERF2X_PERF_RECORDS_REGISTERS_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace perf2x {

// Returns the name of a register by its bit in sample_regs_user or
// sample_regs_intr, on a machine of `arch` (as uname -m prints it): "AX", "X0",
// "R7". Falls back to "r<bit>". The numbers are those of enum perf_event_*_regs
// in the kernel's arch/*/include/uapi/asm/perf_regs.h; `abi` (bits of
// RegisterAbi) decides which registers of x86 have the numbers from 24 up.
std::string RegisterName(absl::string_view arch, uint64_t abi, int bit);

}  // namespace perf2x

#endif  // PERF2X_PERF_RECORDS_REGISTERS_H_
