#ifndef PERF2X_PERF_DECOMPRESSOR_H_
#define PERF2X_PERF_DECOMPRESSOR_H_

#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "converter/base/expansion.h"
#include "converter/perf/framer.h"
#include "converter/perf/raw_record.h"

namespace perf2x {

// Turns the COMPRESSED and COMPRESSED2 records of one data file into the
// records they hold. All of a file's are slices of one zstd stream, and a
// record may lie across two of them.
class Decompressor {
 public:
  // `input_size` is that of the file that the records lie in, and tells how
  // much they may unpack to; kSizeNotKnown for a stream.
  static constexpr uint64_t kSizeNotKnown = kSmallCompressed + 1;
  Decompressor(ByteOrder order, uint64_t input_size);
  ~Decompressor();

  // Hands over a COMPRESSED or COMPRESSED2 record; keeps its block. Only when
  // Next() has given false. With `cut`, the input ended inside the record.
  void Add(const RawRecord& compressed, bool cut = false);
  // The next record out of what was handed over; false when it is used up.
  bool Next(RawRecord* record);

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

#endif  // PERF2X_PERF_DECOMPRESSOR_H_
