// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PERF_STREAM_BLOCK_FEED_H_
#define PERF2X_PERF_STREAM_BLOCK_FEED_H_

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "converter/base/block.h"
#include "converter/base/byte_source.h"

namespace perf2x {

// Bytes of one record stream, block by block. Not thread-safe.
class BlockFeed {
 public:
  virtual ~BlockFeed() = default;
  // Returns the next block: the bytes of `tail`, then at least one new byte.
  // `tail` is the unused end of the previous block; it is empty before the
  // first. Returns null if there are no more bytes. May block until bytes come.
  // An error says why bytes are missing. Errors stick.
  virtual absl::StatusOr<BlockRef> Next(absl::Span<const uint8_t> tail) = 0;
};

// Returns a feed of `range`, a part of `block`, as one block. Keeps `block`
// alive, and does not copy its bytes.
std::unique_ptr<BlockFeed> RangeFeed(BlockRef block,
                                     absl::Span<const uint8_t> range);

// Returns a feed that reads `source`, a pipe or decompressor, in chunks.
// `source` must outlive the feed. Next() returns the errors of `source`.
std::unique_ptr<BlockFeed> StreamFeed(ByteSource& source);

}  // namespace perf2x

#endif  // PERF2X_PERF_STREAM_BLOCK_FEED_H_
