// SPDX-License-Identifier: Apache-2.0
#include "converter/model/dso_report.h"

#include "absl/strings/str_cat.h"

namespace perf2x {

// A generated function brings its own symbol.
DsoIdentity IdentityOf(const Dso& dso) {
  if (dso.kind == DsoKind::kGenerated) {
    return {dso.kind, dso.name, BuildId(), 0, 0, 0, 0, 0, "", 0};
  }
  return {dso.kind,
          dso.name,
          dso.build_id,
          dso.device_major,
          dso.device_minor,
          dso.inode,
          dso.inode_generation,
          dso.pid,
          dso.reference_symbol,
          dso.reference_address};
}

std::string ReportKeyOf(const Dso& dso) {
  const auto [kind, name, build_id, major, minor, inode, generation, pid,
              symbol, address] = IdentityOf(dso);
  return absl::StrCat(
      absl::StrCat(static_cast<int>(kind), "\n", name, "\n", build_id.Hex(),
                   "\n", major, ":", minor, ":", inode, ":", generation),
      "\n", pid, "\n", symbol, "\n", address);
}

}  // namespace perf2x
