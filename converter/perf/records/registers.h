// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PERF_RECORDS_REGISTERS_H_
#define PERF2X_PERF_RECORDS_REGISTERS_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace perf2x {

// Returns the name of the register that has `bit` in sample_regs_user or
// sample_regs_intr: "AX", "X0", "R7". Returns "r<bit>" if the machine is not
// known or has no such register. `arch` is the recording machine, as uname -m
// prints it. `abi` is the sample's user_abi or intr_abi (bits of RegisterAbi).
//
// For the numbers, see enum perf_event_*_regs in the kernel's
// arch/*/include/uapi/asm/perf_regs.h. `abi` matters only for x86 and bits from
// 24 up. With kAbiSimd, these are R16 to R31 and SSP. Without it, they are
// halves of XMM registers.
std::string RegisterName(absl::string_view arch, uint64_t abi, int bit);

}  // namespace perf2x

#endif  // PERF2X_PERF_RECORDS_REGISTERS_H_
