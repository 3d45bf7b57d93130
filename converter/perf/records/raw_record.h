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

// A record as the reader frames it: located, but not decoded.
struct RawRecord {
  uint32_t type = 0;
  uint16_t misc = 0;
  uint16_t stream = 0;  // which data file of a directory; 0 elsewhere
  ByteOrder order = kHostOrder;
  // If set, the record was made from the header of a file and is not part of
  // its data section.
  bool replayed = false;
  // The bytes after the 8-byte header. Valid while `*block` is held.
  absl::Span<const uint8_t> body;
  // The bytes after the record that its size does not include
  // (HEADER_TRACING_DATA, AUXTRACE if it is decoded); else empty.
  absl::Span<const uint8_t> payload;
  // The number of the record in the input. Replayed records have none.
  uint64_t index = 0;
  // Offset of the record in its file, for messages; for a decompressed record,
  // that of the compressed record it was in.
  uint64_t offset = 0;
  // The key of a sample, valid until the next record, and the callchain in the
  // sample's body. Null and empty if the key was not read (AttrTable::ReadKey).
  const SampleKey* key = nullptr;
  absl::Span<const uint8_t> callchain;
  // Owner of the bytes. The pointer is valid until the next record; copy the
  // BlockRef to keep the bytes.
  const BlockRef* block = nullptr;
};

// Consecutive kernel records in one block, or any single record.
struct RecordRun {
  RawRecord first;
  uint64_t records = 1;
  uint64_t bytes = 0;            // of all records
  bool unpacked = false;         // the records were decompressed
  const uint8_t* end = nullptr;  // of the last record

  // Advances `*record` to the next record of the run. Returns false if no
  // record follows: a mapped file may have changed since the run was made.
  bool Next(RawRecord* record) const {
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
