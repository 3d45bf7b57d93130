// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_CUT_NAME_H_
#define PERF2X_BASE_CUT_NAME_H_

#include <algorithm>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "converter/base/diagnostics.h"

namespace perf2x {

// Names that a recording gives once may be written for every sample. No kernel
// gives longer ones than these, so that what is cut off is no name.
inline constexpr size_t kMaxPathSize = 4096;         // PATH_MAX
inline constexpr size_t kMaxFileNameSize = 255;      // NAME_MAX
inline constexpr size_t kMaxKernelSymbolSize = 512;  // KSYM_NAME_LEN
// The kernel's own have 16 bytes (TASK_COMM_LEN), others are made up of paths.
inline constexpr size_t kMaxThreadNameSize = 255;
inline constexpr size_t kMaxEventNameSize = 1024;  // perf's choice: no limit

// `name`, or what it begins with when it is longer than `most` bytes: that is
// counted. `offset` is that of its record.
inline absl::string_view CutName(absl::string_view name, size_t most,
                                 uint64_t offset, Diagnostics* diagnostics) {
  if (name.size() <= most) return name;
  diagnostics->Add(Diagnostics::Severity::kSkipped,
                   "end of a name that is too long for one", offset,
                   name.size() - most);
  return name.substr(0, most);
}

// The same for a path, whose last part is a file's name.
inline absl::string_view CutPath(absl::string_view path, uint64_t offset,
                                 Diagnostics* diagnostics) {
  path = CutName(path, kMaxPathSize, offset, diagnostics);
  const size_t name = path.rfind('/') + 1;  // 0: there is no slash
  return CutName(path, name + kMaxFileNameSize, offset, diagnostics);
}

}  // namespace perf2x

#endif  // PERF2X_BASE_CUT_NAME_H_
