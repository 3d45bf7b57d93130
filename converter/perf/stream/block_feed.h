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

// Bytes of one record stream, block by block.
class BlockFeed {
 public:
  virtual ~BlockFeed() = default;
  // Returns the next block: `tail`, the unused bytes at the end of the previous
  // block, followed by at least one new byte. Null if there are no more bytes.
  // The error says why bytes are missing.
  virtual absl::StatusOr<BlockRef> Next(absl::Span<const uint8_t> tail) = 0;
};

// Returns a feed of one range of a block. Does not copy it.
std::unique_ptr<BlockFeed> RangeFeed(BlockRef block,
                                     absl::Span<const uint8_t> range);

// Returns a feed that reads a pipe or decompressor in chunks; `source` must
// outlive it.
std::unique_ptr<BlockFeed> StreamFeed(ByteSource& source);

}  // namespace perf2x

#endif  // PERF2X_PERF_STREAM_BLOCK_FEED_H_
