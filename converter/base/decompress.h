// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_DECOMPRESS_H_
#define PERF2X_BASE_DECOMPRESS_H_

#include <memory>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "converter/base/byte_source.h"

namespace perf2x {

// Longest magic number, in bytes.
inline constexpr size_t kCompressionMagicSize = 6;

enum class Compression { kNone, kGzip, kBzip2, kXz, kZstd };
// Recognizes a format by its magic number; kNone if there is none of these.
Compression DetectCompression(absl::Span<const uint8_t> first_bytes);

// Decompresses `source`. Concatenated members or frames decode as one stream.
// On corrupt or truncated input, and on decompression bombs, yields all decoded
// bytes, then DataLoss.
std::unique_ptr<ByteSource> Decompress(Compression compression,
                                       std::unique_ptr<ByteSource> source);

}  // namespace perf2x

#endif  // PERF2X_BASE_DECOMPRESS_H_
