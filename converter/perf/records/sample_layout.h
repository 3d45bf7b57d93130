// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PERF_RECORDS_SAMPLE_LAYOUT_H_
#define PERF2X_PERF_RECORDS_SAMPLE_LAYOUT_H_

#include <cstddef>
#include <cstdint>

#include "converter/perf/records/attr.h"
#include "converter/perf/records/raw_record.h"
#include "converter/perf/records/timed_record.h"

namespace perf2x {

// Where the fields of an event's SAMPLE records lie, in bytes from the start of
// the body; -1: absent. Computed from SampleRecord::Fields, which is the only
// list of a sample's fields.
struct SampleLayout {
  int id = -1;  // IDENTIFIER, else ID
  int ip = -1;
  int thread = -1;  // pid, then tid
  int time = -1;
  int cpu = -1;
  int period = -1;
  // Where the part of variable size begins: the callchain, then raw data. After
  // it come fields of fixed size, `trailing` bytes in all.
  int variable = 0, trailing = 0;
  bool has_callchain = false, has_raw = false;
  // If set, a sample has no other fields of variable size and no counter
  // readings, so its key and its callchain suffice for its period and its
  // stack.
  bool is_plain = true;

  static SampleLayout FromAttr(const EventAttr& attr);

  // Reads the key of a sample of `event` and finds its callchain.
  // `default_period` is used if samples record no period. Returns false, with
  // the key undefined, if the layout is not plain or the record is shorter than
  // its fields. Also returns false if the callchain cannot be used as it is: it
  // must be in the host's byte order, begin with a context marker and an
  // address, and have no deferred part.
  bool ReadKey(const RawRecord& record, uint32_t event, uint64_t default_period,
               TimedRecord* to) const;
};

// Offsets of the fields in the sample_id trailer, which ends all other kernel
// records of the event. Computed from SampleId::Fields.
struct TrailerLayout {
  // Bytes from the end of the record back to IDENTIFIER, else ID; -1: absent.
  int id_from_end = -1;
  int time = -1;    // from the start of the trailer; -1: absent
  size_t size = 0;  // 0 without sample_id_all

  static TrailerLayout FromAttr(const EventAttr& attr);
};

}  // namespace perf2x

#endif  // PERF2X_PERF_RECORDS_SAMPLE_LAYOUT_H_
