// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PERF_HEADER_DUMP_RECORD_H_
#define PERF2X_PERF_HEADER_DUMP_RECORD_H_

#include "converter/perf/header/attr_table.h"
#include "converter/perf/records/dump.h"
#include "converter/perf/records/raw_record.h"

namespace perf2x {

// Decodes any record and hands over its fields, then those of its sample_id
// trailer. Of a type that is not known the whole body is one field, "data".
// False, and no field, when the record is too short for its fields.
bool DumpRecord(const RawRecord& record, const AttrTable& attrs,
                FieldSink sink);

}  // namespace perf2x

#endif  // PERF2X_PERF_HEADER_DUMP_RECORD_H_
