// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PERF_HEADER_MACHINE_NAME_H_
#define PERF2X_PERF_HEADER_MACHINE_NAME_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace perf2x {

// Returns the recorded machine as uname -m names it ("x86_64", "aarch64").
// `arch`, from HEADER_ARCH, is that name or, from perf 7 on, perf's own ("x86",
// "arm64"; perf_env__arch() in tools/perf/util/env.c). perf's name does not say
// whether an x86, powerpc or sparc has 32 or 64 bits: `e_machine`, a number of
// <elf.h> from E_MACHINE, decides, and 64 is assumed without it. If `arch` is
// missing, `e_machine` alone is used. Empty if both are missing.
std::string MachineName(absl::string_view arch,
                        std::optional<uint32_t> e_machine);

}  // namespace perf2x

#endif  // PERF2X_PERF_HEADER_MACHINE_NAME_H_
