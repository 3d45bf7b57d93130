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
  // The next block: `tail` (what the caller could not use of the block before)
  // and behind it at least one new byte; when there are none, a null reference.
  // An error says why there are no more although there should be.
  virtual absl::StatusOr<BlockRef> Next(absl::Span<const uint8_t> tail) = 0;
};

// One range of a block, as it is.
std::unique_ptr<BlockFeed> RangeFeed(BlockRef block,
                                     absl::Span<const uint8_t> range);

// A pipe or decompressor, read in chunks; `source` must outlive the feed.
std::unique_ptr<BlockFeed> StreamFeed(ByteSource& source);

}  // namespace perf2x

#endif  // PERF2X_PERF_STREAM_BLOCK_FEED_H_
