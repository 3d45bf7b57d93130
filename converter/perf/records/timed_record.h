// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PERF_RECORDS_TIMED_RECORD_H_
#define PERF2X_PERF_RECORDS_TIMED_RECORD_H_

#include <cstdint>

#include "absl/types/span.h"
#include "converter/base/prefetch.h"
#include "converter/perf/records/raw_record.h"
#include "converter/perf/records/sample_key.h"

namespace perf2x {

// A kernel record with its time, for sorting and for passing between threads.
// Points into the record's bytes. Lacks the fields of RawRecord that kernel
// records never use. Kept small, because copying it is most of the cost of
// sorting and passing.
struct TimedRecord {
  // Leaves all members but the key uninitialized, for speed. See Set.
  TimedRecord() {}

  // As in RawRecord; `time` is in ns, and sorts the record.
  const uint8_t* body;
  uint64_t time;
  uint64_t index;
  uint64_t offset;
  uint32_t block;  // number of its block, see OrderedRecords
  uint16_t size;   // of the body
  uint16_t type;
  uint16_t misc;
  uint16_t stream;
  // The sample's callchain: offset in the body in bytes, length in 8-byte
  // words.
  uint16_t callchain_at, callchain_words;
  SampleKey key;  // its event is kNoEvent if no key was read

  // Sets all members but the block and the key; the callchain becomes empty.
  // `at` is the record's time. Requires a kernel record.
  void Set(const RawRecord& record, uint64_t at) {
    body = record.body.data();
    time = at;
    index = record.index;
    offset = record.offset;
    size = static_cast<uint16_t>(record.body.size());
    type = static_cast<uint16_t>(record.type);
    misc = record.misc;
    stream = record.stream;
    callchain_at = callchain_words = 0;
  }
  // Sets type, misc, stream, body, index, offset, key and callchain of
  // `*record`. Leaves the other fields as they are. record->key points into
  // this object; null if no key was read.
  void Get(RawRecord* record) const {
    record->type = type;
    record->misc = misc;
    record->stream = stream;
    record->body = {body, size};
    record->index = index;
    record->offset = offset;
    record->key = key.event == kNoEvent ? nullptr : &key;
    record->callchain = callchain();
  }
  // The whole body of most records: a branch stack of 32 entries has 12 lines.
  static constexpr size_t kUsualBody = 16 * kCacheLine;
  // Prefetches the first `most` bytes of the body.
  void PrefetchBody(size_t most = kUsualBody) const {
    PrefetchAll(body, size < most ? size : most);
  }
  // Returns the bytes of the callchain; empty if there is none.
  absl::Span<const uint8_t> callchain() const {
    return {body + callchain_at, size_t{callchain_words} * 8};
  }
};
static_assert(sizeof(TimedRecord) <= 104);

// A short-lived view of records in time order and of the blocks that they lie
// in. Owns neither. The function that passes it on says how long it is valid.
struct OrderedRecords {
  absl::Span<const TimedRecord* const> records;
  absl::Span<const BlockRef> blocks;
  uint32_t first_block = 0;  // number of blocks[0]; the others follow

  // Returns the block that has the record's bytes.
  const BlockRef& BlockOf(const TimedRecord& record) const {
    return blocks[record.block - first_block];
  }
  // Returns `record`, one of `records`, as it was framed. `order` is the
  // recording's byte order. Valid as long as this view.
  RawRecord RawRecordOf(const TimedRecord& record, ByteOrder order) const {
    RawRecord raw;
    raw.order = order;
    record.Get(&raw);
    raw.block = &BlockOf(record);
    return raw;
  }
};

}  // namespace perf2x

#endif  // PERF2X_PERF_RECORDS_TIMED_RECORD_H_
