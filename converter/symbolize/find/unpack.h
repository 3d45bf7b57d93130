// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_FIND_UNPACK_H_
#define PERF2X_SYMBOLIZE_FIND_UNPACK_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "converter/symbolize/find/safe_file.h"

namespace perf2x {

// Decompresses xz, zstd, gzip or bzip2 data in memory. Fails on any other data,
// on damage, on decompression bombs (base/compression_ratio.h) and above 4 GiB.
absl::StatusOr<std::string> Unpack(absl::Span<const uint8_t> packed);

// Returns `file`, decompressed if it is compressed (kernel modules, archives).
absl::StatusOr<std::shared_ptr<const SafeFile>> UnpackIfPacked(
    std::shared_ptr<const SafeFile> file);

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_FIND_UNPACK_H_
