// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_BASE_BYTE_SOURCE_H_
#define PERF2X_BASE_BYTE_SOURCE_H_

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace perf2x {

// Bytes that can only be read in order: a pipe, a decompressor. Not
// thread-safe.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Reads at least one and at most to.size() bytes and returns their number.
  // Blocks until at least one byte is there. Returns 0 at the end. Requires
  // that `to` is not empty. After an error, all further reads return the same
  // error.
  virtual absl::StatusOr<size_t> Read(absl::Span<uint8_t> to) = 0;
  // Returns the compressed size of the whole input in bytes: exact up to
  // `limit`, else any value above `limit`. May block and buffer ahead. If
  // reading ahead fails, returns the size read so far; Read then returns the
  // buffered bytes and after them the error.
  virtual uint64_t CompressedSizeUpTo(uint64_t limit) = 0;
};

// Reads until `to` is full or the source ends. Returns the number of bytes
// read, which may be 0. If the source fails after some bytes, returns their
// number; the next read returns the error.
absl::StatusOr<size_t> ReadFully(ByteSource& source, absl::Span<uint8_t> to);

// Returns a source that yields a copy of `bytes`, then the bytes of `rest`.
// `bytes` must have been read from `rest`: the result's CompressedSizeUpTo is
// that of `rest`.
std::unique_ptr<ByteSource> Prepend(absl::Span<const uint8_t> bytes,
                                    std::unique_ptr<ByteSource> rest);

}  // namespace perf2x

#endif  // PERF2X_BASE_BYTE_SOURCE_H_
