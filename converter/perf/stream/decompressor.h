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

// Turns the COMPRESSED and COMPRESSED2 records of one data file into the
// records they hold. All of a file's are slices of one zstd stream, and a
// record may lie across two of them.
class Decompressor {
 public:
  // `input_size` is that of what the records were read from, before anything
  // was unpacked, and tells how much they may unpack to, with the `made_before`
  // bytes of other data files. It is asked when that is much, and may read
  // ahead to answer.
  using CompressedSizeUpTo = std::function<uint64_t()>;
  Decompressor(ByteOrder order, CompressedSizeUpTo input_size,
               uint64_t made_before = 0);
  ~Decompressor();

  // Hands over a COMPRESSED or COMPRESSED2 record; keeps its block. Only when
  // Next() has given false. With `cut`, the input ended inside the record.
  void Add(const RawRecord& compressed, bool cut = false);
  // The next record out of what was handed over; false when it is used up.
  bool Next(RawRecord* record) {
    if (!framer_->Next(record)) return false;
    record->offset = offset_;
    return true;
  }
  // See Framer.
  bool NextPlain(RawRecord* record) {
    if (!framer_->NextPlain(record)) return false;
    record->offset = offset_;
    return true;
  }
  Framer::Skipped SkipPlain(uint64_t bytes) {
    return framer_->SkipPlain(bytes);
  }

  // Bytes unpacked so far.
  uint64_t bytes_made() const;
  // Bytes of the last, incomplete record.
  uint64_t unread() const { return framer_->unread(); }
  // Not ok after damage: to the zstd stream or to the records in it.
  absl::Status status() const;

 private:
  class Feed;
  Feed* feed_;  // owned by framer_
  std::unique_ptr<Framer> framer_;
  uint64_t offset_ = 0;
};

}  // namespace perf2x

#endif  // PERF2X_PERF_STREAM_DECOMPRESSOR_H_
