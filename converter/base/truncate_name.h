// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_TRUNCATE_NAME_H_
#define PERF2X_BASE_TRUNCATE_NAME_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "converter/base/diagnostics.h"

namespace perf2x {

// Maximum sizes of names, in bytes. Longer names are truncated, because outputs
// may repeat a name for every sample. Where a comment names a kernel limit, no
// real name is truncated.
inline constexpr size_t kMaxPathSize = 4096;         // PATH_MAX
inline constexpr size_t kMaxFileNameSize = 255;      // NAME_MAX
inline constexpr size_t kMaxKernelSymbolSize = 512;  // KSYM_NAME_LEN
// Function names that recordings of simpleperf and hiperf contain. C++ names
// are seldom longer.
inline constexpr size_t kMaxRecordedSymbolSize = 4096;
// The kernel's own thread names have at most 15 bytes (TASK_COMM_LEN); other
// names of threads come from paths or from profiles.
inline constexpr size_t kMaxThreadNameSize = 255;
inline constexpr size_t kMaxEventNameSize = 1024;  // perf itself has no limit

// Returns the first `max_size` bytes of `name`, or all if there are fewer. If
// bytes were cut off, counts "name truncated" in `diagnostics`, with their
// number. `diagnostics` must not be null. `offset` is where the record with the
// name lies in the input. The result points into `name` and may end within a
// UTF-8 character.
inline absl::string_view TruncateName(absl::string_view name, size_t max_size,
                                      uint64_t offset,
                                      Diagnostics* diagnostics) {
  if (name.size() <= max_size) return name;
  diagnostics->Add(Diagnostics::Severity::kSkipped, "name truncated", offset,
                   name.size() - max_size);
  return name.substr(0, max_size);
}

// Truncates a path to kMaxPathSize, and the file name at its end to
// kMaxFileNameSize, as TruncateName does.
inline absl::string_view TruncatePath(absl::string_view path, uint64_t offset,
                                      Diagnostics* diagnostics) {
  path = TruncateName(path, kMaxPathSize, offset, diagnostics);
  const size_t name = path.rfind('/') + 1;  // 0 if there is no slash
  return TruncateName(path, name + kMaxFileNameSize, offset, diagnostics);
}

}  // namespace perf2x

#endif  // PERF2X_BASE_TRUNCATE_NAME_H_
