#ifndef PERF2X_INPUT_BYTE_SOURCE_H_
#define PERF2X_INPUT_BYTE_SOURCE_H_

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace perf2x {

// Bytes that can only be read in order: a pipe, a decompressor.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Reads at most to.size() bytes and gives how many; 0 at the end. Returns as
  // soon as there are some. After an error, all reads give that error.
  virtual absl::StatusOr<size_t> Read(absl::Span<uint8_t> to) = 0;
  // The size of the input itself, before anything is unpacked; when that is
  // more than `enough`, some number above it. Reads ahead, and waits, as far as
  // it must to tell.
  virtual uint64_t CompressedSizeUpTo(uint64_t enough) = 0;
};

// Reads until `to` is full or the source ends or fails; gives the bytes read.
absl::StatusOr<size_t> ReadFully(ByteSource& source, absl::Span<uint8_t> to);

// Bytes already read from `rest`, and then `rest`.
std::unique_ptr<ByteSource> Prepend(absl::Span<const uint8_t> bytes,
                                    std::unique_ptr<ByteSource> rest);

}  // namespace perf2x

#endif  // PERF2X_INPUT_BYTE_SOURCE_H_
