// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_DECOMPRESS_H_
#define PERF2X_BASE_DECOMPRESS_H_

#include <memory>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "converter/base/byte_source.h"

namespace perf2x {

// The longest magic number, in bytes.
inline constexpr size_t kCompressionMagicSize = 6;

// A compressed format; kNone: the bytes are not compressed.
enum class Compression { kNone, kGzip, kBzip2, kXz, kZstd };
// Returns the format whose magic number is at the start of `first_bytes`; kNone
// if there is none. kCompressionMagicSize bytes suffice.
Compression DetectCompression(absl::Span<const uint8_t> first_bytes);

// Returns a source of the decompressed bytes of `source`; for kNone, `source`
// itself. Concatenated members or frames decode as one stream. On corrupt or
// truncated input, Read returns all decoded bytes, then DataLoss. Read also
// fails with DataLoss on decompression bombs, and with Unimplemented if xz
// needs more than 128 MiB of memory. Errors of `source` are passed on. If a
// library has no memory, Read calls HandleOutOfMemory.
std::unique_ptr<ByteSource> Decompress(Compression compression,
                                       std::unique_ptr<ByteSource> source);

}  // namespace perf2x

#endif  // PERF2X_BASE_DECOMPRESS_H_
