// SPDX-License-Identifier: Apache-2.0
#ifndef PERF2X_PERF_HEADER_DUMP_RECORD_H_
#define PERF2X_PERF_HEADER_DUMP_RECORD_H_

#include <utility>

#include "absl/types/span.h"
#include "converter/perf/header/attr_table.h"
#include "converter/perf/records/all_records.h"
#include "converter/perf/records/decode.h"
#include "converter/perf/records/dump.h"
#include "converter/perf/records/raw_record.h"

namespace perf2x {

// A record of unknown type. Its body is one field.
struct UnknownRecord {
  absl::Span<const uint8_t> data;
  template <class V, class R>
  static void Fields(V& v, R& r) {
    v.Rest("data", r.data);
  }
};

// Decodes a record of any type. Calls f(decoded record), then, if the record
// has a sample_id trailer, f(SampleId). Requires that `attrs` has observed the
// record. Returns false, without a call, if the record is too short for its
// fields.
template <class F>
bool DecodeWithTrailer(const RawRecord& record, const AttrTable& attrs, F f) {
  const EventAttr& attr = attrs.AttrOf(record);
  const size_t trailer = attrs.TrailerSize(record);
  const auto body = record.body.subspan(0, record.body.size() - trailer);
  bool ok = true;
  const bool known = AllRecords::Visit(record.type, [&](auto decoded) {
    ok = Decode(body, record.order, record.misc, attr, &decoded);
    if (ok) f(std::as_const(decoded));
  });
  if (!known) f(UnknownRecord{body});
  if (ok && trailer > 0) f(attrs.TrailerOf(record));
  return ok;
}

// Decodes a record of any type. Passes its fields to `sink`, then the fields of
// its sample_id trailer. The body of a record of unknown type is one field,
// "data". Requires that `attrs` has observed the record. Returns false, and
// passes no field, if the record is too short for its fields.
bool DumpRecord(const RawRecord& record, const AttrTable& attrs,
                FieldSink sink);

}  // namespace perf2x

#endif  // PERF2X_PERF_HEADER_DUMP_RECORD_H_
