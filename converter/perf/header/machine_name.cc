// SPDX-License-Identifier: Apache-2.0
#include "converter/perf/header/machine_name.h"

#include "converter/base/machine.h"

namespace perf2x {

std::string MachineName(absl::string_view arch,
                        std::optional<uint32_t> e_machine) {
  // perf's words for EM_NONE and for machines that it does not know.
  if (arch == "none" || arch == "unknown") arch = "";
  const Machine* found = nullptr;
  for (const Machine& machine : Machines()) {
    if (!arch.empty() && machine.perf_name != arch) continue;
    const bool named = e_machine == machine.elf_machine;
    if (named || (found == nullptr && !arch.empty())) found = &machine;
    if (named) break;
  }
  return std::string(found == nullptr ? arch : found->names[0]);
}

}  // namespace perf2x
