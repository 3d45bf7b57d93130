// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PERF_RECORDS_TIMED_RECORD_H_
#define PERF2X_PERF_RECORDS_TIMED_RECORD_H_

#include <cstdint>

#include "absl/types/span.h"
#include "converter/perf/records/raw_record.h"
#include "converter/perf/records/sample_key.h"

namespace perf2x {

// A record of the kernel as it is put in order and handed from thread to
// thread: RawRecord without what these never have, and its time. Kept small,
// since copying it is most of what either costs.
struct TimedRecord {
  TimedRecord() {}  // not cleared: Set does what has to be

  const uint8_t* body;
  uint64_t time;
  uint64_t index;
  uint64_t offset;
  uint32_t block;  // a number of the block, by whoever keeps these
  uint16_t size;   // of the body
  uint16_t type;
  uint16_t misc;
  uint16_t stream;
  // The callchain that the key's hash is of: where in the body, and how many
  // words.
  uint16_t callchain_at, callchain_words;
  SampleKey key;  // its event is kNoEvent where none was read

  // Sets all but the block and the key.
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
  // Sets what all of them have. The rest of `*record` is as it is made.
  void Get(RawRecord* record) const {
    record->type = type;
    record->misc = misc;
    record->stream = stream;
    record->body = {body, size};
    record->index = index;
    record->offset = offset;
    record->key = key.event == kNoEvent ? nullptr : &key;
    record->chain = chain();
  }
  absl::Span<const uint8_t> chain() const {
    return {body + callchain_at, size_t{callchain_words} * 8};
  }
};
static_assert(sizeof(TimedRecord) <= 96);

// Records in order, for a moment, and the blocks they lie in.
struct OrderedRecords {
  absl::Span<const TimedRecord* const> records;
  absl::Span<const BlockRef> blocks;
  uint32_t first_block = 0;  // its number, of which the others follow

  const BlockRef& BlockOf(const TimedRecord& record) const {
    return blocks[record.block - first_block];
  }
  // The record as it was framed. Valid as long as this.
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
