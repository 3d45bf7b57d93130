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
  // If set, the input has no such record: the reader made it from the header of
  // a file, or joined it from simpleperf's SPLIT records.
  bool replayed = false;
  // The bytes after the 8-byte header. Valid while `*block` is held or, if the
  // block is stable, as long as the reader.
  absl::Span<const uint8_t> body;
  // The tracing data of a HEADER_TRACING_DATA record, the trace of an AUXTRACE
  // record; valid as `body` is. They follow the record, whose size does not
  // include them; only simpleperf's tracing data are a part of the body. Empty
  // if the reader skipped them (PayloadReader), and for all other records.
  absl::Span<const uint8_t> payload;
  // The number of the record in the input, from 0; 0 for replayed records,
  // which are not counted.
  uint64_t index = 0;
  // Offset of the record in its file, for messages; for a decompressed record,
  // that of the compressed record it was in.
  uint64_t offset = 0;
  // The key of a sample, valid until the next record, and the callchain in the
  // sample's body. Null and empty if the key was not read, or could not be
  // (AttrTable::ReadKey). Empty, too, if the sample has no callchain.
  const SampleKey* key = nullptr;
  absl::Span<const uint8_t> callchain;
  // Owner of the bytes. The pointer is valid until the next record; copy the
  // BlockRef to keep the bytes.
  const BlockRef* block = nullptr;
};

// Consecutive kernel records in one block, or any single record. (Not a run of
// TimeOrder: the times need not ascend.)
struct RecordRun {
  RawRecord first;
  uint64_t records = 1;
  uint64_t bytes = 0;            // of all records
  bool unpacked = false;         // the records were decompressed
  const uint8_t* end = nullptr;  // of the last record

  // Advances `*record`, a copy of `first` or the result of the last call, to
  // the next record. Returns false if none follows. That may be so before
  // `records` records: a mapped file may have changed since it was read.
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
