#ifndef PERF2X_SYMBOLIZE_FIND_UNPACK_H_
#define PERF2X_SYMBOLIZE_FIND_UNPACK_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "converter/symbolize/find/safe_file.h"

namespace perf2x {

// The bytes that xz, zstd, gzip or bzip2 data stands for. Fails on damage and
// on more than 4 GiB, or than base/expansion.h allows.
absl::StatusOr<std::string> Unpack(absl::Span<const uint8_t> packed);

// Whether `bytes` begin as one of these formats does.
bool IsPacked(absl::Span<const uint8_t> bytes);

// `file`, unpacked when it is packed (kernel modules, archives).
absl::StatusOr<std::shared_ptr<const SafeFile>> UnpackIfPacked(
    std::shared_ptr<const SafeFile> file);

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_FIND_UNPACK_H_
