// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PERF_HEADER_DUMP_RECORD_H_
#define PERF2X_PERF_HEADER_DUMP_RECORD_H_

#include "converter/perf/header/attr_table.h"
#include "converter/perf/records/dump.h"
#include "converter/perf/records/raw_record.h"

namespace perf2x {

// Decodes a record of any type. Passes its fields to `sink`, then the fields of
// its sample_id trailer. The body of a record of unknown type is one field,
// "data". Requires that `attrs` has observed the record. Returns false, and
// passes no field, if the record is too short for its fields.
bool DumpRecord(const RawRecord& record, const AttrTable& attrs,
                FieldSink sink);

}  // namespace perf2x

#endif  // PERF2X_PERF_HEADER_DUMP_RECORD_H_
