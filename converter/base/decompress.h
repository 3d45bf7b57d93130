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
// Recognizes a format by the magic number at the start of `first_bytes`, of
// which kCompressionMagicSize suffice. Returns kNone if it is none of these.
Compression DetectCompression(absl::Span<const uint8_t> first_bytes);

// Returns a source of the decompressed bytes of `source`, or `source` itself
// for kNone. Concatenated members or frames decode as one stream. On corrupt or
// truncated input, yields all decoded bytes, then DataLoss. Fails with DataLoss
// on decompression bombs, with Unimplemented if xz needs more than 128 MiB, and
// with the errors of `source`. If a library has no memory, calls
// HandleOutOfMemory.
std::unique_ptr<ByteSource> Decompress(Compression compression,
                                       std::unique_ptr<ByteSource> source);

}  // namespace perf2x

#endif  // PERF2X_BASE_DECOMPRESS_H_
