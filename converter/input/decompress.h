#ifndef PERF2X_INPUT_DECOMPRESS_H_
#define PERF2X_INPUT_DECOMPRESS_H_

#include <memory>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "converter/input/byte_source.h"

namespace perf2x {

// Bytes that suffice to tell how a file is compressed.
inline constexpr size_t kCompressionMagicSize = 6;

enum class Compression { kNone, kGzip, kBzip2, kXz, kZstd };
Compression DetectCompression(absl::Span<const uint8_t> first_bytes);

// Unpacks `source`; members or frames that follow each other are joined. Damage
// ends the bytes with a DataLoss error, after all that could be unpacked.
std::unique_ptr<ByteSource> Decompress(Compression compression,
                                       std::unique_ptr<ByteSource> source);

}  // namespace perf2x

#endif  // PERF2X_INPUT_DECOMPRESS_H_
