// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_SYMBOLIZE_FIND_UNPACK_H_
#define PERF2X_SYMBOLIZE_FIND_UNPACK_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "converter/symbolize/find/safe_file.h"

namespace perf2x {

// Default limit, in bytes.
inline constexpr uint64_t kMaxUnpacked = uint64_t{4} << 30;

// Decompresses xz, zstd, gzip or bzip2 data in memory. Fails with
// InvalidArgument on any other data. Fails with DataLoss on damage and on
// decompression bombs (base/compression_ratio.h), for which `packed` counts as
// `size_on_disk` bytes. Fails with ResourceExhausted above `max_size` bytes; at
// most one MiB more is decompressed.
absl::StatusOr<std::string> Unpack(absl::Span<const uint8_t> packed,
                                   uint64_t size_on_disk,
                                   uint64_t max_size = kMaxUnpacked);

// Returns `file` itself if it is not compressed. Of a compressed file (a kernel
// module, an archive), returns the decompressed bytes under the same path,
// without a FileIdentity. Fails with DataLoss if Unpack fails.
absl::StatusOr<std::shared_ptr<const SafeFile>> UnpackIfPacked(
    std::shared_ptr<const SafeFile> file);

}  // namespace perf2x

#endif  // PERF2X_SYMBOLIZE_FIND_UNPACK_H_
