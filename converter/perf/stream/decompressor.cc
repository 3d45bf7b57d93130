// SPDX-License-Identifier: Apache-2.0
#include "converter/perf/stream/decompressor.h"

#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <vector>

#include "absl/strings/str_cat.h"
#include "converter/base/block_pool.h"
#include "converter/base/byte_reader.h"
#include "converter/base/compression_ratio.h"
#include "converter/base/out_of_memory.h"
#include "converter/base/status_macros.h"
#include "converter/perf/records/wire.h"
#include "converter/perf/stream/block_feed.h"

namespace perf2x {
namespace {

// Bytes that are decompressed at a time. Bounds the memory that one hostile
// record takes: its records are consumed before more bytes are decompressed.
constexpr size_t kOutputPiece = 256 << 10;
constexpr size_t kMaxSparePieces = 64;
// The most data that a COMPRESSED2 record holds if its 16-bit size did not
// overflow: 65535 less header and data_size.
constexpr uint64_t kMaxInOneRecord = 65535 - 16;
constexpr size_t kCompressed2Header = 16;

using Bytes = absl::Span<const uint8_t>;

// A COMPRESSED2 record whose size overflowed contains further COMPRESSED2
// records, whose type, misc and size are right. Returns the offset of the
// first: the lowest from which headers chain exactly to the end; data.size() if
// there is none. Visits each offset once, from the end.
size_t FirstInnerRecord(Bytes data, ByteOrder order) {
  size_t first = data.size();
  std::vector<bool> chains(data.size() + 1);  // headers chain to the end
  chains[data.size()] = true;
  for (size_t at = data.size(); at-- > 0;) {
    if (data.size() - at < kCompressed2Header) continue;
    const uint8_t* p = data.data() + at;
    const size_t size = Load<uint16_t>(p + 6, order);
    if (Load<uint32_t>(p, order) != kRecordCompressed2 ||
        Load<uint16_t>(p + 4, order) != 0 || size < kCompressed2Header ||
        size > data.size() - at || !chains[at + size]) {
      continue;
    }
    chains[at] = true;
    first = at;
  }
  return first;
}

}  // namespace

class Decompressor::Feed final : public BlockFeed {
 public:
  Feed(CompressedSizeUpTo input_size, uint64_t made_before)
      : input_size_(std::move(input_size)), made_before_(made_before) {}
  ~Feed() override {
    if (zstd_ != nullptr) ZSTD_freeDStream(zstd_);
  }

  void Add(const BlockRef& block, Bytes data) {
    if (!data.empty()) queue_.push_back({block, data});
  }

  absl::StatusOr<BlockRef> Next(Bytes tail) override {
    RETURN_IF_ERROR(status_);
    // zstd may hold back output after it consumed all input.
    if (queue_.empty() && !owes_) return BlockRef();
    RETURN_IF_ERROR(Start());
    // A tail longer than a usual record is the start of a long one. Growing
    // blocks avoid copying that start once per chunk.
    const size_t room = std::max(
        kOutputPiece, tail.size() > kMaxRecordSize ? tail.size() : size_t{0});
    auto block = pool_.Take(tail.size() + room);
    if (!tail.empty()) std::memcpy(block->data(), tail.data(), tail.size());
    ZSTD_outBuffer out{block->data() + tail.size(), room, 0};
    while ((!queue_.empty() || owes_) && out.pos < out.size) {
      Bytes data = queue_.empty() ? Bytes() : queue_.front().data;
      ZSTD_inBuffer in{data.data(), data.size(), 0};
      const size_t made = out.pos;
      const size_t result = ZSTD_decompressStream(zstd_, &out, &in);
      if (ZSTD_isError(result)) {
        if (ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation) {
          HandleOutOfMemory();
        }
        status_ = absl::DataLossError(
            absl::StrCat("damaged zstd data: ", ZSTD_getErrorName(result)));
        queue_.clear();
        break;
      }
      wanted_ = result;
      owes_ = result != 0 && out.pos == out.size;
      if (!queue_.empty()) {
        queue_.front().data.remove_prefix(in.pos);
        if (queue_.front().data.empty()) {
          queue_.pop_front();
        } else if (in.pos == 0 && out.pos == made && out.pos < out.size) {
          status_ = absl::DataLossError("damaged zstd data: no progress");
          queue_.clear();
        }
      }
    }
    made_ += out.pos;
    const uint64_t all = made_before_ + made_;
    if (all > kMaxUnpackedFromSmall &&
        IsDecompressionBomb(input_size_(), all)) {
      Fail("compressed data unpacks to too much for its size");
      queue_.clear();
    }
    // The bytes before the damage are returned first, the error by the next
    // call.
    if (out.pos == 0) {
      RETURN_IF_ERROR(status_);
      return BlockRef();
    }
    block->set_size(tail.size() + out.pos);
    return BlockRef(std::move(block));
  }

  // zstd wants 3 bytes, the header of a block, where the writer flushed, but
  // also if the last block of a frame, its checksum or a frame to be skipped
  // lacks 3 bytes. Only where a block may begin does an empty one change
  // nothing.
  bool EndsInsideBlock() {
    constexpr size_t kBlockHeader = 3;
    constexpr uint8_t kEmptyBlock[kBlockHeader] = {};
    if (!status_.ok() || wanted_ == 0) return false;
    if (wanted_ != kBlockHeader) return true;
    uint8_t room[1];
    ZSTD_outBuffer out{room, sizeof(room), 0};
    ZSTD_inBuffer in{kEmptyBlock, sizeof(kEmptyBlock), 0};
    return ZSTD_decompressStream(zstd_, &out, &in) != kBlockHeader ||
           out.pos > 0;
  }

  uint64_t made() const { return made_; }
  const absl::Status& status() const { return status_; }
  void Fail(absl::string_view why) {
    if (status_.ok()) status_ = absl::DataLossError(why);
  }

 private:
  struct Piece {
    BlockRef block;
    Bytes data;
  };

  // Makes zstd's state. Most recordings are not compressed and need none.
  absl::Status Start() {
    if (zstd_ != nullptr) return absl::OkStatus();
    zstd_ = ZSTD_createDStream();
    if (zstd_ == nullptr) {
      return status_ =
                 absl::ResourceExhaustedError("no memory to unpack zstd data");
    }
    // perf's levels use windows of at most 2^27 bytes; larger ones are refused.
    ZSTD_DCtx_setParameter(zstd_, ZSTD_d_windowLogMax, 27);
    return absl::OkStatus();
  }

  ZSTD_DStream* zstd_ = nullptr;  // null before the first compressed byte
  BlockPool pool_{kMaxRecordSize + kOutputPiece, kMaxSparePieces};
  std::deque<Piece> queue_;
  size_t wanted_ = 0;  // input that zstd asked for; 0: none, a frame ended
  bool owes_ = false;
  uint64_t made_ = 0;
  const CompressedSizeUpTo input_size_;
  const uint64_t made_before_;
  absl::Status status_;
};

Decompressor::Decompressor(ByteOrder order, CompressedSizeUpTo input_size,
                           uint64_t made_before) {
  auto feed = std::make_unique<Feed>(std::move(input_size), made_before);
  feed_ = feed.get();
  framer_ = std::make_unique<Framer>(std::move(feed), 0, order,
                                     /*open_ended=*/true);
}
Decompressor::~Decompressor() = default;

void Decompressor::Add(const RawRecord& record, bool cut) {
  offset_ = record.offset;
  cut_ = cut;
  Bytes data = record.body;
  if (record.type == kRecordCompressed2) {
    ByteReader in(record.body, record.order);
    uint64_t size = in.U64();
    if (cut) size = std::min<uint64_t>(size, in.left());
    data = in.Bytes(size);
    if (!in.ok()) {
      feed_->Fail("COMPRESSED2 record shorter than its data_size");
      return;
    }
    if (size > kMaxInOneRecord) {
      size_t at = FirstInnerRecord(data, record.order);
      feed_->Add(*record.block, data.subspan(0, at));
      while (at < data.size()) {
        const size_t inner = Load<uint16_t>(data.data() + at + 6, record.order);
        feed_->Add(*record.block, data.subspan(at + kCompressed2Header,
                                               inner - kCompressed2Header));
        at += inner;
      }
      return;
    }
  }
  feed_->Add(*record.block, data);
}

bool Decompressor::EndsInsideBlock() {
  return !cut_ && framer_->status().ok() && feed_->EndsInsideBlock();
}

uint64_t Decompressor::bytes_made() const { return feed_->made(); }

absl::Status Decompressor::status() const {
  return framer_->status().ok() ? feed_->status() : framer_->status();
}

}  // namespace perf2x
