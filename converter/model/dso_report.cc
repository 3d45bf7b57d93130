// SPDX-License-Identifier: Apache-2.0
#include "converter/model/dso_report.h"

#include "absl/strings/str_cat.h"

namespace perf2x {

// A generated function brings its own symbol, so all generated functions of one
// name share a report, whatever their process and address.
std::string ReportKeyOf(const Dso& f) {
  std::string key = absl::StrCat(static_cast<int>(f.kind), "\n", f.name);
  if (f.kind != DsoKind::kGenerated) {
    absl::StrAppend(&key, "\n", f.build_id.Hex(), "\n", f.device_major, ":",
                    f.device_minor, ":", f.inode, ":", f.inode_generation);
    absl::StrAppend(&key, "\n", f.pid, "\n", f.reference_symbol, "\n",
                    f.reference_address);
  }
  return key;
}

}  // namespace perf2x
