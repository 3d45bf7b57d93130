// SPDX-License-Identifier: Apache-2.0
#include "converter/perf/records/registers.h"

#include "absl/strings/str_cat.h"
#include "converter/base/machine.h"
#include "converter/perf/records/wire.h"

namespace perf2x {

std::string RegisterName(absl::string_view arch, uint64_t abi, int bit) {
  const Machine* machine = FindMachine(arch);
  absl::Span<const absl::string_view> names;
  auto at = static_cast<size_t>(bit);
  if (machine != nullptr) {
    names = machine->register_names;
    if ((abi & kAbiSimd) != 0 && !machine->extended_register_names.empty() &&
        at >= machine->first_extended) {
      names = machine->extended_register_names;
      at -= machine->first_extended;
    }
  }
  return at < names.size() && !names[at].empty() ? std::string(names[at])
                                                 : absl::StrCat("r", bit);
}

}  // namespace perf2x
