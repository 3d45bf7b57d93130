// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PERF_STREAM_FRAMER_H_
#define PERF2X_PERF_STREAM_FRAMER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "converter/base/block.h"
#include "converter/base/byte_order.h"
#include "converter/perf/records/raw_record.h"
#include "converter/perf/records/wire.h"
#include "converter/perf/stream/block_feed.h"

namespace perf2x {

// The damage message if another recording's magic number follows in place of a
// record, as after `cat a.data b.data`.
inline constexpr absl::string_view kAnotherRecordingFollows =
    "another recording follows this one and is not read; split the input and "
    "convert each";

// Cuts one stream of bytes into records. Stops for good at the first byte that
// cannot be a record, and when the feed fails: see status(). Not thread-safe.
class Framer {
 public:
  // `offset` is where the feed's first byte lies in its file. Set `open_ended`
  // if the feed may return further blocks after null. Next() can then be called
  // again after it returned false. A record that is cut short is then no
  // damage.
  Framer(std::unique_ptr<BlockFeed> feed, uint64_t offset, ByteOrder order,
         bool open_ended = false)
      : feed_(std::move(feed)),
        offset_(offset),
        order_(order),
        open_ended_(open_ended) {}

  // Reads the next record. Returns false at the end and at damage. Sets type,
  // misc, order, body (without the 8-byte header), offset and block of
  // `*record`. record->block points to block().
  bool Next(RawRecord* record) {
    return NextPlain(record) || NextOther(record);
  }
  // As Next(), but only for a plain record: a kernel record that lies whole in
  // the current block. If the next record is not plain, returns false and reads
  // nothing.
  bool NextPlain(RawRecord* record) {
    const uint16_t size = PlainSize();
    if (size == 0) return false;
    Take(Load<uint32_t>(at_, order_), size, record);
    return true;
  }
  // Plain records that were skipped. `bytes` includes their headers.
  struct Skipped {
    uint64_t records = 0, bytes = 0;
  };
  // Skips plain records. Stops after `bytes` bytes or more (headers included),
  // and before a record that is not plain. Returns what was skipped.
  Skipped SkipPlain(uint64_t bytes) {
    Skipped out;
    while (out.bytes < bytes) {
      const uint16_t size = PlainSize();
      if (size == 0) break;
      at_ += size;
      out.bytes += size;
      ++out.records;
    }
    offset_ += out.bytes;
    return out;
  }

  // Requires that Next() returned false. If the input ends inside a record,
  // after its header, returns the record's type. Else returns nullopt.
  std::optional<uint32_t> cut_record_type() const;
  // Reads the available part of the cut record, as Next() does. To be called
  // once. Afterwards unread() is 0; offset() is still where the record begins.
  // If there is no cut record or only its header, returns false and reads
  // nothing.
  bool TakeCutRecord(RawRecord* record);

  // TakePayload(), CopyPayload() and SkipPayload() read bytes after the last
  // record. Next() continues after these bytes. The functions may change
  // block(): hold the last record's block to keep its bytes.

  // Returns `n` bytes, contiguous; fewer if the input ends before. They are
  // valid while block() is held.
  absl::Span<const uint8_t> TakePayload(uint64_t n);
  // Appends `n` bytes to `*to`; fewer if the input ends before.
  void CopyPayload(uint64_t n, std::vector<uint8_t>* to);
  // Skips `n` bytes. Returns their number: less if the input ends before.
  uint64_t SkipPayload(uint64_t n);

  // Where the next record would start: an offset in the feed's file.
  uint64_t offset() const { return offset_; }
  // DataLoss at damage; the feed's error if the feed failed; else OK. Says what
  // is wrong at offset(). Errors stick.
  const absl::Status& status() const { return status_; }
  // Requires that Next() returned false. Returns how many bytes of the current
  // block follow the last record. If the input ended there, the bytes are the
  // start of a cut record.
  uint64_t unread() const { return static_cast<uint64_t>(end_ - at_); }

  // Returns the block of the last bytes that were read. Null before the first
  // record. The reference stays valid; the block changes when more bytes are
  // read.
  const BlockRef& block() const { return block_; }

 private:
  static constexpr ptrdiff_t kHeaderSize = 8;

  // Reads the next record of any kind, from the next block if necessary.
  bool NextOther(RawRecord* record);
  // Returns the size, with header, of the record at at_ if it is plain, else 0.
  uint16_t PlainSize() const {
    if (end_ - at_ < kHeaderSize) return 0;
    const uint16_t size = Load<uint16_t>(at_ + 6, order_);
    return Load<uint32_t>(at_, order_) < kRecordUserFirst &&
                   size >= kHeaderSize && size <= end_ - at_
               ? size
               : 0;
  }
  // Takes the record at at_.
  void Take(uint32_t type, uint64_t size, RawRecord* record) {
    record->type = type;
    record->misc = Load<uint16_t>(at_ + 4, order_);
    record->order = order_;
    record->body = {at_ + kHeaderSize, static_cast<size_t>(size - kHeaderSize)};
    record->offset = offset_;
    record->block = &block_;
    at_ += size;
    offset_ += size;
  }
  // Makes at least `n` bytes readable at at_; false if the feed has fewer.
  bool Ensure(uint64_t n) {
    return static_cast<uint64_t>(end_ - at_) >= n || Refill(n);
  }
  bool Refill(uint64_t n);
  // Reports damage, `message`, because bytes ran out; does nothing if
  // open_ended_.
  void RanOut(absl::string_view message);
  // Sets the status and stops reading.
  void Damage(absl::string_view message);

  std::unique_ptr<BlockFeed> feed_;
  BlockRef block_;
  const uint8_t* at_ = nullptr;
  const uint8_t* end_ = nullptr;
  uint64_t offset_;
  ByteOrder order_;
  const bool open_ended_;
  bool feed_ended_ = false;
  bool cut_ = false;  // at_ is at a record that runs past the end
  absl::Status status_;
};

}  // namespace perf2x

#endif  // PERF2X_PERF_STREAM_FRAMER_H_
