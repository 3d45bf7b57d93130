// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PERF_RECORDS_RAW_RECORD_H_
#define PERF2X_PERF_RECORDS_RAW_RECORD_H_

#include <cstdint>

#include "absl/types/span.h"
#include "converter/base/block.h"
#include "converter/base/byte_order.h"
#include "converter/perf/records/sample_key.h"
#include "converter/perf/records/wire.h"

namespace perf2x {

// A record as the reader frames it: where it lies, and nothing decoded yet.
struct RawRecord {
  uint32_t type = 0;
  uint16_t misc = 0;
  uint16_t stream = 0;  // which data file of a directory; 0 elsewhere
  ByteOrder order = kHostOrder;
  // Replayed from the header of a file, not part of its data section.
  bool replayed = false;
  // What follows the 8-byte header. Valid while `*block` is held.
  absl::Span<const uint8_t> body;
  // What trails the record outside its size (HEADER_TRACING_DATA), else empty.
  absl::Span<const uint8_t> payload;
  // Counts the records of the input; replayed ones have none.
  uint64_t index = 0;
  // Of the record in its file, for messages; of the enclosing compressed record
  // when it came out of one.
  uint64_t offset = 0;
  // Of a sample whose key was read, see AttrTable::ReadKey: that, valid until
  // the next record, and the callchain in the body. Else null and empty.
  const SampleKey* key = nullptr;
  absl::Span<const uint8_t> chain;
  // Owner of the bytes; the reference itself is valid until the next record.
  const BlockRef* block = nullptr;
};

// Records of the kernel that lie one behind another in a block, or any single
// record.
struct RecordRun {
  RawRecord first;
  uint64_t records = 1;
  uint64_t bytes = 0;            // of them all
  bool unpacked = false;         // they came out of a compressed record
  const uint8_t* end = nullptr;  // of the last one

  // Makes `*record`, which has one of the run behind it, that one. False when
  // there is none: a mapped file may have changed since the run was made.
  bool Step(RawRecord* record) const {
    constexpr ptrdiff_t kHeaderSize = 8;
    const uint8_t* at = record->body.end();
    if (end - at < kHeaderSize) return false;
    const ptrdiff_t size = Load<uint16_t>(at + 6, record->order);
    if (size < kHeaderSize || size > end - at) return false;
    if (!unpacked) record->offset += kHeaderSize + record->body.size();
    record->type = Load<uint32_t>(at, record->order);
    record->misc = Load<uint16_t>(at + 4, record->order);
    record->body = {at + kHeaderSize, static_cast<size_t>(size - kHeaderSize)};
    ++record->index;
    return true;
  }
};

}  // namespace perf2x

#endif  // PERF2X_PERF_RECORDS_RAW_RECORD_H_
