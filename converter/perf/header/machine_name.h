// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PERF_HEADER_MACHINE_NAME_H_
#define PERF2X_PERF_HEADER_MACHINE_NAME_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace perf2x {

// Returns the recorded machine as uname -m names it ("x86_64", "aarch64").
// `arch` is the text of HEADER_ARCH. perf 7 and later write perf's own name
// there: "x86", "arm64" (perf_env__arch() in tools/perf/util/env.c). Such names
// are translated. Any other `arch` is returned unchanged.
//
// perf's own name is the same for 32 and 64 bits of x86, powerpc and sparc.
// `e_machine` (EM_*, from E_MACHINE) distinguishes the two. Without
// `e_machine`, 64 bits are assumed. If `arch` is empty, "none" or "unknown",
// `e_machine` alone is used. Returns an empty string if `e_machine` is missing,
// too, or not known.
std::string MachineName(absl::string_view arch,
                        std::optional<uint32_t> e_machine);

}  // namespace perf2x

#endif  // PERF2X_PERF_HEADER_MACHINE_NAME_H_
