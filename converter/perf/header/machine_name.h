// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PERF_HEADER_MACHINE_NAME_H_
#define PERF2X_PERF_HEADER_MACHINE_NAME_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace perf2x {

// The recorded machine as uname -m names it ("x86_64", "aarch64"). HEADER_ARCH
// has that name, or, from perf 7 on, the one perf uses itself ("x86", "arm64";
// perf_env__arch() in tools/perf/util/env.c): that one leaves open whether an
// x86, powerpc or sparc has 32 or 64 bits, which E_MACHINE (a number of
// <elf.h>) decides, and is 64 where it is absent. E_MACHINE alone serves where
// ARCH is missing. Empty if neither says.
std::string MachineName(absl::string_view arch,
                        std::optional<uint32_t> e_machine);

}  // namespace perf2x

#endif  // PERF2X_PERF_HEADER_MACHINE_NAME_H_
