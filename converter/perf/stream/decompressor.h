// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PERF_STREAM_DECOMPRESSOR_H_
#define PERF2X_PERF_STREAM_DECOMPRESSOR_H_

#include <cstdint>
#include <functional>
#include <memory>

#include "absl/status/status.h"
#include "converter/perf/records/raw_record.h"
#include "converter/perf/stream/framer.h"

namespace perf2x {

// Decompresses the COMPRESSED and COMPRESSED2 records of one data file into the
// records in them. The compressed records are slices of one zstd stream. A
// record in the stream may span two slices. Not thread-safe.
class Decompressor {
 public:
  // Returns the compressed size of the whole input: exact up to
  // kSmallCompressed, else any larger value. May block to read ahead.
  using CompressedSizeUpTo = std::function<uint64_t()>;
  // `order` is the recording's byte order. `made_before` is the number of bytes
  // that earlier data files were decompressed to. A decompression bomb (see
  // IsDecompressionBomb()) is treated as damage. Calls `input_size` only once
  // more than kMaxUnpackedFromSmall bytes were made.
  Decompressor(ByteOrder order, CompressedSizeUpTo input_size,
               uint64_t made_before = 0);
  ~Decompressor();

  // Adds a COMPRESSED or COMPRESSED2 record, and holds its RawRecord::block
  // until it is decompressed. Requires that status() is OK. Before the next
  // record is added, Next() must have returned false. Set `cut` if the input
  // ended inside the record: then decompresses the part that is there.
  void Add(const RawRecord& compressed, bool cut = false);
  // Reads the next decompressed record. Sets its offset to the offset of the
  // compressed record that was added last. Returns false if more compressed
  // records are needed, and after damage: see status().
  bool Next(RawRecord* record) {
    if (!framer_->Next(record)) return false;
    record->offset = offset_;
    return true;
  }
  // As Framer::NextPlain() and Framer::SkipPlain().
  bool NextPlain(RawRecord* record) {
    if (!framer_->NextPlain(record)) return false;
    record->offset = offset_;
    return true;
  }
  Framer::Skipped SkipPlain(uint64_t bytes) {
    return framer_->SkipPlain(bytes);
  }

  // Bytes decompressed so far.
  uint64_t bytes_made() const;
  // Requires that Next() returned false. Returns the number of decompressed
  // bytes after the last complete record.
  uint64_t unread() const { return framer_->unread(); }
  // Returns true if the compressed data ended inside a block or a frame's other
  // parts, so that bytes are missing. Where perf flushed, a block ended.
  // Returns false after damage, and if the last record was `cut`: the caller
  // knows of these. To be called once, at the end: nothing can be added
  // afterwards. Requires that Next() returned false.
  bool EndsInsideBlock();
  // The offset of the compressed record that was added last.
  uint64_t offset() const { return offset_; }
  // Requires that Next() returned false. DataLoss if the zstd stream or a
  // record is damaged, ResourceExhausted if zstd got no memory. Errors stick.
  absl::Status status() const;

 private:
  class Feed;
  Feed* feed_;  // owned by framer_
  std::unique_ptr<Framer> framer_;
  uint64_t offset_ = 0;
  bool cut_ = false;  // the record that was added last
};

}  // namespace perf2x

#endif  // PERF2X_PERF_STREAM_DECOMPRESSOR_H_
