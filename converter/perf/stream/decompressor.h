// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PERF_STREAM_DECOMPRESSOR_H_
#define PERF2X_PERF_STREAM_DECOMPRESSOR_H_

#include <cstdint>
#include <functional>
#include <memory>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "converter/perf/records/raw_record.h"
#include "converter/perf/stream/framer.h"

namespace perf2x {

// Decompresses the COMPRESSED and COMPRESSED2 records of one data file into the
// records in them. The compressed records of a file are slices of one zstd
// stream, and a record in that stream may span two slices. Not thread-safe.
class Decompressor {
 public:
  // Returns the compressed size of the whole input: exact up to
  // kSmallCompressed, else any larger value. May block to read ahead.
  using CompressedSizeUpTo = std::function<uint64_t()>;
  // `order` is that of the recording. `made_before` is the number of bytes to
  // which earlier data files were decompressed. Once these and the bytes of
  // this file exceed kMaxUnpackedFromSmall, asks `input_size` for each further
  // block. A decompression bomb (see IsDecompressionBomb()) is treated as
  // damage.
  Decompressor(ByteOrder order, CompressedSizeUpTo input_size,
               uint64_t made_before = 0);
  ~Decompressor();

  // Adds a COMPRESSED or COMPRESSED2 record, and holds its RawRecord::block
  // until it is decompressed. Call this only if status() is OK, and, for all
  // records but the first, after Next() returned false. Set `cut` if the input
  // ended inside the record: then decompresses the part that is there.
  void Add(const RawRecord& compressed, bool cut = false);
  // Reads the next decompressed record. Its offset is that of the compressed
  // record that was added last. Returns false if more compressed records are
  // needed, and after damage: see status().
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
  // After Next() returned false: the number of decompressed bytes that are left
  // because they are no complete record.
  uint64_t unread() const { return framer_->unread(); }
  // After Next() returned false: DataLoss if the zstd stream or a record is
  // damaged, ResourceExhausted if zstd got no memory. Errors stick.
  absl::Status status() const;

 private:
  class Feed;
  Feed* feed_;  // owned by framer_
  std::unique_ptr<Framer> framer_;
  uint64_t offset_ = 0;
};

}  // namespace perf2x

#endif  // PERF2X_PERF_STREAM_DECOMPRESSOR_H_
