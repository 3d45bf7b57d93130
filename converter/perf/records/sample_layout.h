// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PERF_RECORDS_SAMPLE_LAYOUT_H_
#define PERF2X_PERF_RECORDS_SAMPLE_LAYOUT_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "converter/perf/records/attr.h"
#include "converter/perf/records/raw_record.h"
#include "converter/perf/records/timed_record.h"

namespace perf2x {

// Where the fields of an event's SAMPLE records lie: offsets in bytes from the
// start of the body; -1: absent. Computed from SampleRecord::Fields, which is
// the only list of a sample's fields.
struct SampleLayout {
  int id = -1;  // IDENTIFIER, else ID
  int ip = -1;
  int thread = -1;  // pid, then tid
  int time = -1;
  int cpu = -1;
  int period = -1;
  // Offset of the first field of variable size. If there is none, the size of
  // the body. In a plain layout, the callchain begins there, and raw data
  // follow. Then come fields of fixed size, `trailing_bytes` in all.
  int variable_offset = 0, trailing_bytes = 0;
  bool has_callchain = false, has_raw = false;
  // If set, callchain and raw data are the only fields of variable size. There
  // are no counter readings, and all bits of sample_type are known. A sample's
  // key and callchain then suffice for its period and stack.
  bool is_plain = true;

  // Computes the layout of the samples of an event.
  static SampleLayout FromAttr(const EventAttr& attr);

  // Reads the key of `record`, a SAMPLE of `event`, and finds its callchain.
  // Sets key, callchain_at and callchain_words of `*to`. Requires that
  // to->Set() was called. The key's period is `default_period` if samples
  // record none; its sched_tid is kNotRead.
  //
  // Returns false if the layout is not plain, the record is shorter than its
  // fields, or the callchain is unsuitable. The three members are then
  // undefined. A suitable callchain is in the host's byte order, begins with a
  // context marker and an address, and has no deferred part.
  bool ReadKey(const RawRecord& record, uint32_t event, uint64_t default_period,
               TimedRecord* to) const;

  // Returns the offset of the raw data's size in the body of `record`, a sample
  // with raw data whose key was read with this layout.
  size_t RawOffset(const TimedRecord& record) const {
    return has_callchain
               ? record.callchain_at + size_t{record.callchain_words} * 8
               : static_cast<size_t>(variable_offset);
  }
  // Returns the raw data of `record`, a sample whose key was read with this
  // layout. `order` is the recording's byte order. Empty if there are none, or
  // if they no longer lie in the record because a mapped file has changed.
  // Valid as long as the record's bytes.
  absl::Span<const uint8_t> RawOf(const TimedRecord& record,
                                  ByteOrder order) const {
    constexpr size_t kOfSize = 4;
    const size_t at = RawOffset(record);
    if (!has_raw || at + kOfSize > record.size) return {};
    const size_t size = Load<uint32_t>(record.body + at, order);
    if (size > record.size - at - kOfSize) return {};
    return {record.body + at + kOfSize, size};
  }
};

// Where the fields of the sample_id trailer lie. The trailer ends all kernel
// records of the event except SAMPLE. Computed from SampleId::Fields.
struct TrailerLayout {
  // Bytes from the end of the record back to IDENTIFIER, else ID; -1: absent.
  // Without sample_id_all, the value has no meaning.
  int id_from_end = -1;
  // From the start of the trailer; -1: absent.
  int thread = -1;  // pid, then tid
  int time = -1;
  int cpu = -1;
  size_t size = 0;  // in bytes; 0 without sample_id_all

  // Computes the layout of the trailers of an event's records.
  static TrailerLayout FromAttr(const EventAttr& attr);
};

}  // namespace perf2x

#endif  // PERF2X_PERF_RECORDS_SAMPLE_LAYOUT_H_
