// SPDX-License-Identifier: Apache-2.0
#include "converter/perf/header/dump_record.h"

namespace perf2x {

bool DumpRecord(const RawRecord& record, const AttrTable& attrs,
                FieldSink sink) {
  const EventAttr& attr = attrs.AttrOf(record);
  return DecodeWithTrailer(record, attrs, [&](const auto& decoded) {
    Dump(decoded, record.misc, attr, sink);
  });
}

}  // namespace perf2x
