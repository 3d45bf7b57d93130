// SPDX-License-Identifier: Apache-2.0
#include "converter/perf/header/dump_record.h"

#include "absl/types/span.h"
#include "converter/perf/records/all_records.h"
#include "converter/perf/records/decode.h"

namespace perf2x {
namespace {

// A record of unknown type. Its body is one field.
struct UnknownRecord {
  absl::Span<const uint8_t> data;
  template <class V, class R>
  static void Fields(V& v, R& r) {
    v.Rest("data", r.data);
  }
};

}  // namespace

bool DumpRecord(const RawRecord& record, const AttrTable& attrs,
                FieldSink sink) {
  const EventAttr& attr = attrs.AttrOf(record);
  const size_t trailer = attrs.TrailerSize(record);
  const auto body = record.body.first(record.body.size() - trailer);
  bool ok = true;
  const bool known = AllRecords::Visit(record.type, [&](auto&& decoded) {
    ok = Decode(body, record.order, record.misc, attr, &decoded);
    if (ok) Dump(decoded, record.misc, attr, sink);
  });
  if (!known) Dump(UnknownRecord{body}, record.misc, attr, sink);
  if (ok && trailer > 0) {
    Dump(attrs.TrailerOf(record), record.misc, attr, sink);
  }
  return ok;
}

}  // namespace perf2x
