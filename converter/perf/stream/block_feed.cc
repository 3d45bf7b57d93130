// SPDX-License-Identifier: Apache-2.0
#include "converter/perf/stream/block_feed.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "converter/base/block_pool.h"
#include "converter/base/status_macros.h"
#include "converter/perf/records/wire.h"

namespace perf2x {
namespace {

constexpr size_t kReadSize = 1 << 20;
constexpr size_t kMaxSpareBlocks = 4;

// A part of another block, which it keeps alive.
class SubBlock final : public Block {
 public:
  SubBlock(BlockRef whole, absl::Span<const uint8_t> range)
      : Block(whole->stable()), whole_(std::move(whole)) {
    bytes_ = range;
  }
  void Populate(absl::Span<const uint8_t> part) const override {
    whole_->Populate(part);
  }
  void Release(absl::Span<const uint8_t> part) const override {
    whole_->Release(part);
  }

 private:
  BlockRef whole_;
};

class RangeFeedImpl final : public BlockFeed {
 public:
  RangeFeedImpl(BlockRef block, absl::Span<const uint8_t> range)
      : block_(std::make_unique<SubBlock>(std::move(block), range)) {}
  absl::StatusOr<BlockRef> Next(absl::Span<const uint8_t>) override {
    return std::exchange(block_, BlockRef());
  }

 private:
  BlockRef block_;
};

class StreamFeedImpl final : public BlockFeed {
 public:
  explicit StreamFeedImpl(ByteSource& source) : source_(source) {}
  absl::StatusOr<BlockRef> Next(absl::Span<const uint8_t> tail) override {
    // A tail longer than a record is the start of a payload. Reading payloads
    // in few, growing steps copies their start less often.
    const bool long_tail = tail.size() > kMaxRecordSize;
    const size_t room =
        long_tail ? std::max(kReadSize, tail.size()) : kReadSize;
    auto block = pool_.Take(tail.size() + room);
    if (!tail.empty()) std::memcpy(block->data(), tail.data(), tail.size());
    const auto to = absl::MakeSpan(block->data() + tail.size(), room);
    // Other blocks are not filled up: whoever reads a live pipe wants the bytes
    // that are there.
    ASSIGN_OR_RETURN(const size_t n,
                     long_tail ? ReadFully(source_, to) : source_.Read(to));
    if (n == 0) return BlockRef();
    block->set_size(tail.size() + n);
    return BlockRef(std::move(block));
  }

 private:
  ByteSource& source_;
  BlockPool pool_{kMaxRecordSize + kReadSize, kMaxSpareBlocks};
};

}  // namespace

std::unique_ptr<BlockFeed> RangeFeed(BlockRef block,
                                     absl::Span<const uint8_t> range) {
  return std::make_unique<RangeFeedImpl>(std::move(block), range);
}

std::unique_ptr<BlockFeed> StreamFeed(ByteSource& source) {
  return std::make_unique<StreamFeedImpl>(source);
}

}  // namespace perf2x
