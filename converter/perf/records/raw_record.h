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
  // 0: the only file, or `data` of a directory. N: the N-th of its data.*
  // files that are not empty.
  uint16_t stream = 0;
  ByteOrder order = kHostOrder;
  // If set, the reader made the record: from the header of a file, or by
  // joining simpleperf's SPLIT records.
  bool replayed = false;
  // The bytes after the 8-byte header. Valid while `*block` is held or, if the
  // block is stable, as long as the reader.
  absl::Span<const uint8_t> body;
  // The tracing data of a HEADER_TRACING_DATA record, or the trace of an
  // AUXTRACE record. Valid as long as `body`. Not part of `body`, except in
  // recordings of simpleperf. Empty for all other records, and if the reader
  // skipped it (PayloadReader).
  absl::Span<const uint8_t> payload;
  // The number of the record in the input, from 0. Replayed records are not
  // counted, and have 0.
  uint64_t index = 0;
  // Offset of the record in its file, for messages. For a decompressed record:
  // the offset of the compressed record.
  uint64_t offset = 0;
  // The key of a sample, and the callchain in its body. Valid until the next
  // record. If the key was not read (AttrTable::ReadKey), null and empty. If
  // the sample has no callchain, `callchain` is empty.
  const SampleKey* key = nullptr;
  absl::Span<const uint8_t> callchain;
  // Owner of the bytes. The pointer is valid until the next record; copy the
  // BlockRef to keep the bytes.
  const BlockRef* block = nullptr;
};

// Consecutive kernel records in one block, or any single record. Unlike in
// TimeOrder's runs, times need not ascend.
struct RecordRun {
  RawRecord first;
  uint64_t records = 1;
  uint64_t bytes = 0;            // of all records
  bool unpacked = false;         // the records were decompressed
  const uint8_t* end = nullptr;  // of the last record

  // Advances `*record` to the next record. Before the first call, `*record`
  // must be a copy of `first`. Returns false if none follows. If a mapped file
  // changed meanwhile, there may be fewer than `records`.
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
