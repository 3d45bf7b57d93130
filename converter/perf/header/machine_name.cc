// SPDX-License-Identifier: Apache-2.0
#include "converter/perf/header/machine_name.h"

#include <elf.h>

namespace perf2x {
namespace {

struct Spelling {
  absl::string_view perf, uname;
  uint32_t e_machine;
};
// e_machine_to_perf_arch(). If machines share perf's name, the first is taken
// unless E_MACHINE names another.
constexpr Spelling kSpellings[] = {
    {"x86", "x86_64", EM_X86_64},      {"x86", "i686", EM_386},
    {"arm64", "aarch64", EM_AARCH64},  {"arm", "arm", EM_ARM},
    {"s390", "s390x", EM_S390},        {"powerpc", "ppc64", EM_PPC64},
    {"powerpc", "ppc", EM_PPC},        {"riscv", "riscv64", EM_RISCV},
    {"loongarch", "loongarch64", 258},  // EM_LOONGARCH of newer <elf.h>
    {"sparc", "sparc64", EM_SPARCV9},  {"sparc", "sparc", EM_SPARC},
    {"mips", "mips", EM_MIPS},
};

}  // namespace

std::string MachineName(absl::string_view arch,
                        std::optional<uint32_t> e_machine) {
  // perf's words for EM_NONE and for machines that it does not know.
  if (arch == "none" || arch == "unknown") arch = "";
  const Spelling* found = nullptr;
  for (const Spelling& spelling : kSpellings) {
    if (!arch.empty() && spelling.perf != arch) continue;
    if (e_machine == spelling.e_machine) return std::string(spelling.uname);
    if (found == nullptr && !arch.empty()) found = &spelling;
  }
  return std::string(found == nullptr ? arch : found->uname);
}

}  // namespace perf2x
