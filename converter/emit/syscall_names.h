// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_EMIT_SYSCALL_NAMES_H_
#define PERF2X_EMIT_SYSCALL_NAMES_H_

#include <cstdint>

#include "absl/strings/string_view.h"

namespace perf2x {

// Returns the name of a system call of the 64-bit ABI: "openat". `arch` is as
// in uname -m. Knows x86_64, aarch64, riscv64 and loongarch64; empty for other
// machines and for unknown numbers. The name is static.
absl::string_view SyscallName(absl::string_view arch, uint64_t number);

}  // namespace perf2x

#endif  // PERF2X_EMIT_SYSCALL_NAMES_H_
