// SPDX-License-Identifier: Apache-2.0
#include "converter/base/machine.h"

#include "absl/strings/match.h"
#include "absl/strings/strip.h"

namespace perf2x {
namespace {

bool Matches(absl::string_view name, absl::string_view arch) {
  return absl::ConsumeSuffix(&name, "*") ? absl::StartsWith(arch, name)
                                         : arch == name;
}

}  // namespace

const Machine* FindMachine(absl::string_view name) {
  for (const Machine& machine : Machines()) {
    for (absl::string_view own : machine.names) {
      if (Matches(own, name)) return &machine;
    }
  }
  return nullptr;
}

const Machine& MachineOfElf(uint16_t elf_machine) {
  for (const Machine& machine : Machines()) {
    if (machine.elf_machine == elf_machine) return machine;
  }
  static constexpr Machine kOther;
  return kOther;
}

const Machine* MachineOf(absl::string_view arch, uint64_t abi) {
  const Machine* machine = FindMachine(arch);
  const int size = abi == 2 ? 8 : abi == 1 ? 4 : 0;
  if (machine != nullptr && machine->address_size != size) {
    machine = &MachineOfElf(machine->sibling_elf_machine);
  }
  return machine != nullptr && machine->address_size == size &&
                 machine->tracked_registers > 0
             ? machine
             : nullptr;
}

}  // namespace perf2x
